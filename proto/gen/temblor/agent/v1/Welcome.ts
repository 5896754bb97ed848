// Original file: proto/temblor/agent/v1/agent.proto

import type { Long } from '@grpc/proto-loader';

export interface Welcome {
  /**
   * Fences older sessions of the same agent.
   */
  'sessionEpoch'?: (number | string | Long);
  'heartbeatMs'?: (number);
  'leaseMs'?: (number);
  /**
   * Without a word from the controller for this long the agent ends what it runs.
   */
  'deadManMs'?: (number);
  /**
   * The boot id of the kernel that the controller runs on; the same as the agent's when they share it.
   */
  'controllerBootId'?: (string);
}

export interface Welcome__Output {
  /**
   * Fences older sessions of the same agent.
   */
  'sessionEpoch': (number);
  'heartbeatMs': (number);
  'leaseMs': (number);
  /**
   * Without a word from the controller for this long the agent ends what it runs.
   */
  'deadManMs': (number);
  /**
   * The boot id of the kernel that the controller runs on; the same as the agent's when they share it.
   */
  'controllerBootId': (string);
}
