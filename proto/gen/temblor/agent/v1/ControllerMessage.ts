// Original file: proto/temblor/agent/v1/agent.proto

import type { Welcome as _temblor_agent_v1_Welcome, Welcome__Output as _temblor_agent_v1_Welcome__Output } from '../../../temblor/agent/v1/Welcome.ts';
import type { Run as _temblor_agent_v1_Run, Run__Output as _temblor_agent_v1_Run__Output } from '../../../temblor/agent/v1/Run.ts';
import type { Halt as _temblor_agent_v1_Halt, Halt__Output as _temblor_agent_v1_Halt__Output } from '../../../temblor/agent/v1/Halt.ts';
import type { LeaseAck as _temblor_agent_v1_LeaseAck, LeaseAck__Output as _temblor_agent_v1_LeaseAck__Output } from '../../../temblor/agent/v1/LeaseAck.ts';
import type { UpdateAck as _temblor_agent_v1_UpdateAck, UpdateAck__Output as _temblor_agent_v1_UpdateAck__Output } from '../../../temblor/agent/v1/UpdateAck.ts';
import type { RenewedCertificate as _temblor_agent_v1_RenewedCertificate, RenewedCertificate__Output as _temblor_agent_v1_RenewedCertificate__Output } from '../../../temblor/agent/v1/RenewedCertificate.ts';
import type { Refusal as _temblor_agent_v1_Refusal, Refusal__Output as _temblor_agent_v1_Refusal__Output } from '../../../temblor/agent/v1/Refusal.ts';
import type { Drain as _temblor_agent_v1_Drain, Drain__Output as _temblor_agent_v1_Drain__Output } from '../../../temblor/agent/v1/Drain.ts';

export interface ControllerMessage {
  'welcome'?: (_temblor_agent_v1_Welcome | null);
  'run'?: (_temblor_agent_v1_Run | null);
  'halt'?: (_temblor_agent_v1_Halt | null);
  'leaseAck'?: (_temblor_agent_v1_LeaseAck | null);
  'updateAck'?: (_temblor_agent_v1_UpdateAck | null);
  'renewedCertificate'?: (_temblor_agent_v1_RenewedCertificate | null);
  /**
   * The session is over and why; the agent does not come back when `final` is set.
   */
  'refusal'?: (_temblor_agent_v1_Refusal | null);
  /**
   * The controller is about to stop; an agent that does not know this is refused in the end.
   */
  'drain'?: (_temblor_agent_v1_Drain | null);
  'message'?: "welcome"|"run"|"halt"|"leaseAck"|"updateAck"|"renewedCertificate"|"refusal"|"drain";
}

export interface ControllerMessage__Output {
  'welcome'?: (_temblor_agent_v1_Welcome__Output | null);
  'run'?: (_temblor_agent_v1_Run__Output | null);
  'halt'?: (_temblor_agent_v1_Halt__Output | null);
  'leaseAck'?: (_temblor_agent_v1_LeaseAck__Output | null);
  'updateAck'?: (_temblor_agent_v1_UpdateAck__Output | null);
  'renewedCertificate'?: (_temblor_agent_v1_RenewedCertificate__Output | null);
  /**
   * The session is over and why; the agent does not come back when `final` is set.
   */
  'refusal'?: (_temblor_agent_v1_Refusal__Output | null);
  /**
   * The controller is about to stop; an agent that does not know this is refused in the end.
   */
  'drain'?: (_temblor_agent_v1_Drain__Output | null);
  'message'?: "welcome"|"run"|"halt"|"leaseAck"|"updateAck"|"renewedCertificate"|"refusal"|"drain";
}
