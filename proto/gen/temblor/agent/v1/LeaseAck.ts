// Original file: proto/temblor/agent/v1/agent.proto

import type { Long } from '@grpc/proto-loader';

/**
 * Sent for heartbeats of agents that run something.
 */
export interface LeaseAck {
  'heartbeatSeq'?: (number | string | Long);
  /**
   * The same as in Run, as it is now.
   */
  'figuresMs'?: (number);
}

/**
 * Sent for heartbeats of agents that run something.
 */
export interface LeaseAck__Output {
  'heartbeatSeq': (number);
  /**
   * The same as in Run, as it is now.
   */
  'figuresMs': (number);
}
