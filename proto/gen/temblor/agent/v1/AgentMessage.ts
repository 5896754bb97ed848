// Original file: proto/temblor/agent/v1/agent.proto

import type { Hello as _temblor_agent_v1_Hello, Hello__Output as _temblor_agent_v1_Hello__Output } from '../../../temblor/agent/v1/Hello.ts';
import type { Heartbeat as _temblor_agent_v1_Heartbeat, Heartbeat__Output as _temblor_agent_v1_Heartbeat__Output } from '../../../temblor/agent/v1/Heartbeat.ts';
import type { Inventory as _temblor_agent_v1_Inventory, Inventory__Output as _temblor_agent_v1_Inventory__Output } from '../../../temblor/agent/v1/Inventory.ts';
import type { CommandAck as _temblor_agent_v1_CommandAck, CommandAck__Output as _temblor_agent_v1_CommandAck__Output } from '../../../temblor/agent/v1/CommandAck.ts';
import type { ExecutionUpdate as _temblor_agent_v1_ExecutionUpdate, ExecutionUpdate__Output as _temblor_agent_v1_ExecutionUpdate__Output } from '../../../temblor/agent/v1/ExecutionUpdate.ts';
import type { ManualAttack as _temblor_agent_v1_ManualAttack, ManualAttack__Output as _temblor_agent_v1_ManualAttack__Output } from '../../../temblor/agent/v1/ManualAttack.ts';
import type { RenewCertificate as _temblor_agent_v1_RenewCertificate, RenewCertificate__Output as _temblor_agent_v1_RenewCertificate__Output } from '../../../temblor/agent/v1/RenewCertificate.ts';
import type { Bye as _temblor_agent_v1_Bye, Bye__Output as _temblor_agent_v1_Bye__Output } from '../../../temblor/agent/v1/Bye.ts';

export interface AgentMessage {
  'hello'?: (_temblor_agent_v1_Hello | null);
  'heartbeat'?: (_temblor_agent_v1_Heartbeat | null);
  'inventory'?: (_temblor_agent_v1_Inventory | null);
  'commandAck'?: (_temblor_agent_v1_CommandAck | null);
  'executionUpdate'?: (_temblor_agent_v1_ExecutionUpdate | null);
  'manualAttack'?: (_temblor_agent_v1_ManualAttack | null);
  'renewCertificate'?: (_temblor_agent_v1_RenewCertificate | null);
  'bye'?: (_temblor_agent_v1_Bye | null);
  'message'?: "hello"|"heartbeat"|"inventory"|"commandAck"|"executionUpdate"|"manualAttack"|"renewCertificate"|"bye";
}

export interface AgentMessage__Output {
  'hello'?: (_temblor_agent_v1_Hello__Output | null);
  'heartbeat'?: (_temblor_agent_v1_Heartbeat__Output | null);
  'inventory'?: (_temblor_agent_v1_Inventory__Output | null);
  'commandAck'?: (_temblor_agent_v1_CommandAck__Output | null);
  'executionUpdate'?: (_temblor_agent_v1_ExecutionUpdate__Output | null);
  'manualAttack'?: (_temblor_agent_v1_ManualAttack__Output | null);
  'renewCertificate'?: (_temblor_agent_v1_RenewCertificate__Output | null);
  'bye'?: (_temblor_agent_v1_Bye__Output | null);
  'message'?: "hello"|"heartbeat"|"inventory"|"commandAck"|"executionUpdate"|"manualAttack"|"renewCertificate"|"bye";
}
