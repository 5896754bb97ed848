// Original file: proto/temblor/agent/v1/agent.proto

import type { Long } from '@grpc/proto-loader';

export interface UpdateAck {
  'executionId'?: (string);
  'seq'?: (number | string | Long);
}

export interface UpdateAck__Output {
  'executionId': (string);
  'seq': (number);
}
