// Original file: proto/temblor/agent/v1/agent.proto


export interface Bye {
  'reason'?: (string);
}

export interface Bye__Output {
  'reason': (string);
}
