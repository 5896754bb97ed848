// Original file: proto/temblor/agent/v1/agent.proto

import type { Inventory as _temblor_agent_v1_Inventory, Inventory__Output as _temblor_agent_v1_Inventory__Output } from '../../../temblor/agent/v1/Inventory.ts';
import type { ExecutionRef as _temblor_agent_v1_ExecutionRef, ExecutionRef__Output as _temblor_agent_v1_ExecutionRef__Output } from '../../../temblor/agent/v1/ExecutionRef.ts';
import type { Long } from '@grpc/proto-loader';

/**
 * First message of a session.
 */
export interface Hello {
  'identifier'?: (string);
  'instanceId'?: (string);
  'bootId'?: (string);
  'version'?: (string);
  'inventory'?: (_temblor_agent_v1_Inventory | null);
  /**
   * What the agent's journal holds that is not over and acknowledged.
   */
  'knownExecutions'?: (_temblor_agent_v1_ExecutionRef)[];
  /**
   * Greater in each later Hello of the same agent, also after it was started again; 0 from agents that know no such
   * number. One that arrives behind a later one says what is not true any more.
   */
  'attempt'?: (number | string | Long);
}

/**
 * First message of a session.
 */
export interface Hello__Output {
  'identifier': (string);
  'instanceId': (string);
  'bootId': (string);
  'version': (string);
  'inventory': (_temblor_agent_v1_Inventory__Output | null);
  /**
   * What the agent's journal holds that is not over and acknowledged.
   */
  'knownExecutions': (_temblor_agent_v1_ExecutionRef__Output)[];
  /**
   * Greater in each later Hello of the same agent, also after it was started again; 0 from agents that know no such
   * number. One that arrives behind a later one says what is not true any more.
   */
  'attempt': (number);
}
