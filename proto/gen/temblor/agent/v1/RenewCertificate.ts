// Original file: proto/temblor/agent/v1/agent.proto


export interface RenewCertificate {
  'csrPem'?: (string);
}

export interface RenewCertificate__Output {
  'csrPem': (string);
}
