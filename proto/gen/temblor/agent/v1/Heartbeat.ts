// Original file: proto/temblor/agent/v1/agent.proto

import type { ExecutionRef as _temblor_agent_v1_ExecutionRef, ExecutionRef__Output as _temblor_agent_v1_ExecutionRef__Output } from '../../../temblor/agent/v1/ExecutionRef.ts';
import type { Long } from '@grpc/proto-loader';

export interface Heartbeat {
  'seq'?: (number | string | Long);
  'running'?: (_temblor_agent_v1_ExecutionRef)[];
}

export interface Heartbeat__Output {
  'seq': (number);
  'running': (_temblor_agent_v1_ExecutionRef__Output)[];
}
