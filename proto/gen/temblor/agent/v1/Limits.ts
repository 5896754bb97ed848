// Original file: proto/temblor/agent/v1/agent.proto


/**
 * What the owner of the host allows; zero and empty are no limit.
 */
export interface Limits {
  'attackTypes'?: (string)[];
  'maxLengthSeconds'?: (number);
  'maxPercent'?: (number);
  'maxContainers'?: (number);
  'shutdownForbidden'?: (boolean);
}

/**
 * What the owner of the host allows; zero and empty are no limit.
 */
export interface Limits__Output {
  'attackTypes': (string)[];
  'maxLengthSeconds': (number);
  'maxPercent': (number);
  'maxContainers': (number);
  'shutdownForbidden': (boolean);
}
