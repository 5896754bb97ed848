// Original file: proto/temblor/agent/v1/agent.proto

import type { Container as _temblor_agent_v1_Container, Container__Output as _temblor_agent_v1_Container__Output } from '../../../temblor/agent/v1/Container.ts';
import type { Long } from '@grpc/proto-loader';

/**
 * An attack that somebody started on the host itself.
 */
export interface ManualAttack {
  'attackId'?: (string);
  'executionId'?: (string);
  'attackType'?: (string);
  'args'?: (string)[];
  'lengthMs'?: (number | string | Long);
  'container'?: (_temblor_agent_v1_Container | null);
  'ageMs'?: (number | string | Long);
}

/**
 * An attack that somebody started on the host itself.
 */
export interface ManualAttack__Output {
  'attackId': (string);
  'executionId': (string);
  'attackType': (string);
  'args': (string)[];
  'lengthMs': (number);
  'container': (_temblor_agent_v1_Container__Output | null);
  'ageMs': (number);
}
