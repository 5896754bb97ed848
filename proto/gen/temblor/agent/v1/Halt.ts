// Original file: proto/temblor/agent/v1/agent.proto


export interface Halt {
  'executionId'?: (string);
  'generation'?: (number);
  'attackId'?: (string);
}

export interface Halt__Output {
  'executionId': (string);
  'generation': (number);
  'attackId': (string);
}
