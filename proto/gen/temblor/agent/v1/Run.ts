// Original file: proto/temblor/agent/v1/agent.proto

import type { Container as _temblor_agent_v1_Container, Container__Output as _temblor_agent_v1_Container__Output } from '../../../temblor/agent/v1/Container.ts';
import type { Long } from '@grpc/proto-loader';

export interface Run {
  'executionId'?: (string);
  'generation'?: (number);
  'attackId'?: (string);
  'attackType'?: (string);
  /**
   * Checked parameters of the attack type, JSON; the agent checks them again.
   */
  'paramsJson'?: (string);
  /**
   * Set for a container; only `id`, `name` and `labels` are used.
   */
  'container'?: (_temblor_agent_v1_Container | null);
  /**
   * The command is worthless after this time.
   */
  'startWithinMs'?: (number | string | Long);
  /**
   * The last heartbeat that the controller had seen when it sent this; bounds the age of the message.
   */
  'heartbeatSeen'?: (number | string | Long);
  /**
   * Figures are wanted this often; 0 is each second.
   */
  'figuresMs'?: (number);
}

export interface Run__Output {
  'executionId': (string);
  'generation': (number);
  'attackId': (string);
  'attackType': (string);
  /**
   * Checked parameters of the attack type, JSON; the agent checks them again.
   */
  'paramsJson': (string);
  /**
   * Set for a container; only `id`, `name` and `labels` are used.
   */
  'container': (_temblor_agent_v1_Container__Output | null);
  /**
   * The command is worthless after this time.
   */
  'startWithinMs': (number);
  /**
   * The last heartbeat that the controller had seen when it sent this; bounds the age of the message.
   */
  'heartbeatSeen': (number);
  /**
   * Figures are wanted this often; 0 is each second.
   */
  'figuresMs': (number);
}
