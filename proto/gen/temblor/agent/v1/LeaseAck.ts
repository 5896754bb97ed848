// Original file: proto/temblor/agent/v1/agent.proto

import type { Long } from '@grpc/proto-loader';

/**
 * Sent for heartbeats of agents that run something.
 */
export interface LeaseAck {
  'heartbeatSeq'?: (number | string | Long);
}

/**
 * Sent for heartbeats of agents that run something.
 */
export interface LeaseAck__Output {
  'heartbeatSeq': (number);
}
