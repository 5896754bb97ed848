// Original file: proto/temblor/agent/v1/agent.proto

import type { Container as _temblor_agent_v1_Container, Container__Output as _temblor_agent_v1_Container__Output } from '../../../temblor/agent/v1/Container.ts';
import type { Capability as _temblor_agent_v1_Capability, Capability__Output as _temblor_agent_v1_Capability__Output } from '../../../temblor/agent/v1/Capability.ts';
import type { Limits as _temblor_agent_v1_Limits, Limits__Output as _temblor_agent_v1_Limits__Output } from '../../../temblor/agent/v1/Limits.ts';
import type { HostFacts as _temblor_agent_v1_HostFacts, HostFacts__Output as _temblor_agent_v1_HostFacts__Output } from '../../../temblor/agent/v1/HostFacts.ts';

/**
 * What the host is and offers; sent in Hello and again when it changes.
 */
export interface Inventory {
  'tags'?: ({[key: string]: string});
  'containers'?: (_temblor_agent_v1_Container)[];
  'capabilities'?: (_temblor_agent_v1_Capability)[];
  'limits'?: (_temblor_agent_v1_Limits | null);
  'facts'?: (_temblor_agent_v1_HostFacts | null);
}

/**
 * What the host is and offers; sent in Hello and again when it changes.
 */
export interface Inventory__Output {
  'tags': ({[key: string]: string});
  'containers': (_temblor_agent_v1_Container__Output)[];
  'capabilities': (_temblor_agent_v1_Capability__Output)[];
  'limits': (_temblor_agent_v1_Limits__Output | null);
  'facts': (_temblor_agent_v1_HostFacts__Output | null);
}
