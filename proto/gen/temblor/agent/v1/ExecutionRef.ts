// Original file: proto/temblor/agent/v1/agent.proto


export interface ExecutionRef {
  'executionId'?: (string);
  'generation'?: (number);
}

export interface ExecutionRef__Output {
  'executionId': (string);
  'generation': (number);
}
