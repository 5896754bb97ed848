import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { AgentMessage as _temblor_agent_v1_AgentMessage, AgentMessage__Output as _temblor_agent_v1_AgentMessage__Output } from './temblor/agent/v1/AgentMessage.ts';
import type { AgentServiceClient as _temblor_agent_v1_AgentServiceClient, AgentServiceDefinition as _temblor_agent_v1_AgentServiceDefinition } from './temblor/agent/v1/AgentService.ts';
import type { Bye as _temblor_agent_v1_Bye, Bye__Output as _temblor_agent_v1_Bye__Output } from './temblor/agent/v1/Bye.ts';
import type { Capability as _temblor_agent_v1_Capability, Capability__Output as _temblor_agent_v1_Capability__Output } from './temblor/agent/v1/Capability.ts';
import type { CommandAck as _temblor_agent_v1_CommandAck, CommandAck__Output as _temblor_agent_v1_CommandAck__Output } from './temblor/agent/v1/CommandAck.ts';
import type { Container as _temblor_agent_v1_Container, Container__Output as _temblor_agent_v1_Container__Output } from './temblor/agent/v1/Container.ts';
import type { ControllerMessage as _temblor_agent_v1_ControllerMessage, ControllerMessage__Output as _temblor_agent_v1_ControllerMessage__Output } from './temblor/agent/v1/ControllerMessage.ts';
import type { Drain as _temblor_agent_v1_Drain, Drain__Output as _temblor_agent_v1_Drain__Output } from './temblor/agent/v1/Drain.ts';
import type { EnrolRequest as _temblor_agent_v1_EnrolRequest, EnrolRequest__Output as _temblor_agent_v1_EnrolRequest__Output } from './temblor/agent/v1/EnrolRequest.ts';
import type { EnrolResponse as _temblor_agent_v1_EnrolResponse, EnrolResponse__Output as _temblor_agent_v1_EnrolResponse__Output } from './temblor/agent/v1/EnrolResponse.ts';
import type { ExecutionRef as _temblor_agent_v1_ExecutionRef, ExecutionRef__Output as _temblor_agent_v1_ExecutionRef__Output } from './temblor/agent/v1/ExecutionRef.ts';
import type { ExecutionUpdate as _temblor_agent_v1_ExecutionUpdate, ExecutionUpdate__Output as _temblor_agent_v1_ExecutionUpdate__Output } from './temblor/agent/v1/ExecutionUpdate.ts';
import type { Halt as _temblor_agent_v1_Halt, Halt__Output as _temblor_agent_v1_Halt__Output } from './temblor/agent/v1/Halt.ts';
import type { Heartbeat as _temblor_agent_v1_Heartbeat, Heartbeat__Output as _temblor_agent_v1_Heartbeat__Output } from './temblor/agent/v1/Heartbeat.ts';
import type { Hello as _temblor_agent_v1_Hello, Hello__Output as _temblor_agent_v1_Hello__Output } from './temblor/agent/v1/Hello.ts';
import type { HostFacts as _temblor_agent_v1_HostFacts, HostFacts__Output as _temblor_agent_v1_HostFacts__Output } from './temblor/agent/v1/HostFacts.ts';
import type { Inventory as _temblor_agent_v1_Inventory, Inventory__Output as _temblor_agent_v1_Inventory__Output } from './temblor/agent/v1/Inventory.ts';
import type { LeaseAck as _temblor_agent_v1_LeaseAck, LeaseAck__Output as _temblor_agent_v1_LeaseAck__Output } from './temblor/agent/v1/LeaseAck.ts';
import type { Limits as _temblor_agent_v1_Limits, Limits__Output as _temblor_agent_v1_Limits__Output } from './temblor/agent/v1/Limits.ts';
import type { ManualAttack as _temblor_agent_v1_ManualAttack, ManualAttack__Output as _temblor_agent_v1_ManualAttack__Output } from './temblor/agent/v1/ManualAttack.ts';
import type { Refusal as _temblor_agent_v1_Refusal, Refusal__Output as _temblor_agent_v1_Refusal__Output } from './temblor/agent/v1/Refusal.ts';
import type { RenewCertificate as _temblor_agent_v1_RenewCertificate, RenewCertificate__Output as _temblor_agent_v1_RenewCertificate__Output } from './temblor/agent/v1/RenewCertificate.ts';
import type { RenewedCertificate as _temblor_agent_v1_RenewedCertificate, RenewedCertificate__Output as _temblor_agent_v1_RenewedCertificate__Output } from './temblor/agent/v1/RenewedCertificate.ts';
import type { Run as _temblor_agent_v1_Run, Run__Output as _temblor_agent_v1_Run__Output } from './temblor/agent/v1/Run.ts';
import type { UpdateAck as _temblor_agent_v1_UpdateAck, UpdateAck__Output as _temblor_agent_v1_UpdateAck__Output } from './temblor/agent/v1/UpdateAck.ts';
import type { Welcome as _temblor_agent_v1_Welcome, Welcome__Output as _temblor_agent_v1_Welcome__Output } from './temblor/agent/v1/Welcome.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  temblor: {
    agent: {
      v1: {
        AgentMessage: MessageTypeDefinition<_temblor_agent_v1_AgentMessage, _temblor_agent_v1_AgentMessage__Output>
        /**
         * What an agent and a controller say to each other. Times are durations in milliseconds, never wall
         * clocks: the two clocks need not agree.
         */
        AgentService: SubtypeConstructor<typeof grpc.Client, _temblor_agent_v1_AgentServiceClient> & { service: _temblor_agent_v1_AgentServiceDefinition }
        Bye: MessageTypeDefinition<_temblor_agent_v1_Bye, _temblor_agent_v1_Bye__Output>
        Capability: MessageTypeDefinition<_temblor_agent_v1_Capability, _temblor_agent_v1_Capability__Output>
        CommandAck: MessageTypeDefinition<_temblor_agent_v1_CommandAck, _temblor_agent_v1_CommandAck__Output>
        Container: MessageTypeDefinition<_temblor_agent_v1_Container, _temblor_agent_v1_Container__Output>
        ControllerMessage: MessageTypeDefinition<_temblor_agent_v1_ControllerMessage, _temblor_agent_v1_ControllerMessage__Output>
        Drain: MessageTypeDefinition<_temblor_agent_v1_Drain, _temblor_agent_v1_Drain__Output>
        EnrolRequest: MessageTypeDefinition<_temblor_agent_v1_EnrolRequest, _temblor_agent_v1_EnrolRequest__Output>
        EnrolResponse: MessageTypeDefinition<_temblor_agent_v1_EnrolResponse, _temblor_agent_v1_EnrolResponse__Output>
        ExecutionRef: MessageTypeDefinition<_temblor_agent_v1_ExecutionRef, _temblor_agent_v1_ExecutionRef__Output>
        ExecutionUpdate: MessageTypeDefinition<_temblor_agent_v1_ExecutionUpdate, _temblor_agent_v1_ExecutionUpdate__Output>
        Halt: MessageTypeDefinition<_temblor_agent_v1_Halt, _temblor_agent_v1_Halt__Output>
        Heartbeat: MessageTypeDefinition<_temblor_agent_v1_Heartbeat, _temblor_agent_v1_Heartbeat__Output>
        Hello: MessageTypeDefinition<_temblor_agent_v1_Hello, _temblor_agent_v1_Hello__Output>
        HostFacts: MessageTypeDefinition<_temblor_agent_v1_HostFacts, _temblor_agent_v1_HostFacts__Output>
        Inventory: MessageTypeDefinition<_temblor_agent_v1_Inventory, _temblor_agent_v1_Inventory__Output>
        LeaseAck: MessageTypeDefinition<_temblor_agent_v1_LeaseAck, _temblor_agent_v1_LeaseAck__Output>
        Limits: MessageTypeDefinition<_temblor_agent_v1_Limits, _temblor_agent_v1_Limits__Output>
        ManualAttack: MessageTypeDefinition<_temblor_agent_v1_ManualAttack, _temblor_agent_v1_ManualAttack__Output>
        Refusal: MessageTypeDefinition<_temblor_agent_v1_Refusal, _temblor_agent_v1_Refusal__Output>
        RenewCertificate: MessageTypeDefinition<_temblor_agent_v1_RenewCertificate, _temblor_agent_v1_RenewCertificate__Output>
        RenewedCertificate: MessageTypeDefinition<_temblor_agent_v1_RenewedCertificate, _temblor_agent_v1_RenewedCertificate__Output>
        Run: MessageTypeDefinition<_temblor_agent_v1_Run, _temblor_agent_v1_Run__Output>
        UpdateAck: MessageTypeDefinition<_temblor_agent_v1_UpdateAck, _temblor_agent_v1_UpdateAck__Output>
        Welcome: MessageTypeDefinition<_temblor_agent_v1_Welcome, _temblor_agent_v1_Welcome__Output>
      }
    }
  }
}

