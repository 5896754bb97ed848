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
}
