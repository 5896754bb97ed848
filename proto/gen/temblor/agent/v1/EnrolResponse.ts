// Original file: proto/temblor/agent/v1/agent.proto


export interface EnrolResponse {
  'certificatePem'?: (string);
}

export interface EnrolResponse__Output {
  'certificatePem': (string);
}
