// Original file: proto/temblor/agent/v1/agent.proto


export interface Capability {
  'attackType'?: (string);
  /**
   * Host or Container
   */
  'targeting'?: (string);
  /**
   * Empty when the host can do it.
   */
  'missingReason'?: (string);
}

export interface Capability__Output {
  'attackType': (string);
  /**
   * Host or Container
   */
  'targeting': (string);
  /**
   * Empty when the host can do it.
   */
  'missingReason': (string);
}
