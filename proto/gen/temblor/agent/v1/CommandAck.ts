// Original file: proto/temblor/agent/v1/agent.proto


/**
 * The agent has the command in its journal (fsynced): it need not be sent again.
 */
export interface CommandAck {
  'executionId'?: (string);
  'generation'?: (number);
}

/**
 * The agent has the command in its journal (fsynced): it need not be sent again.
 */
export interface CommandAck__Output {
  'executionId': (string);
  'generation': (number);
}
