// Original file: proto/temblor/agent/v1/agent.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AgentMessage as _temblor_agent_v1_AgentMessage, AgentMessage__Output as _temblor_agent_v1_AgentMessage__Output } from '../../../temblor/agent/v1/AgentMessage.ts';
import type { ControllerMessage as _temblor_agent_v1_ControllerMessage, ControllerMessage__Output as _temblor_agent_v1_ControllerMessage__Output } from '../../../temblor/agent/v1/ControllerMessage.ts';
import type { EnrolRequest as _temblor_agent_v1_EnrolRequest, EnrolRequest__Output as _temblor_agent_v1_EnrolRequest__Output } from '../../../temblor/agent/v1/EnrolRequest.ts';
import type { EnrolResponse as _temblor_agent_v1_EnrolResponse, EnrolResponse__Output as _temblor_agent_v1_EnrolResponse__Output } from '../../../temblor/agent/v1/EnrolResponse.ts';

/**
 * What an agent and a controller say to each other. Times are durations in milliseconds, never wall
 * clocks: the two clocks need not agree.
 */
export interface AgentServiceClient extends grpc.Client {
  /**
   * Gives an agent its certificate. The only call without a client certificate; the agent has
   * checked the controller's CA against the fingerprint in its join line before it makes it.
   */
  Enrol(argument: _temblor_agent_v1_EnrolRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_temblor_agent_v1_EnrolResponse__Output>): grpc.ClientUnaryCall;
  Enrol(argument: _temblor_agent_v1_EnrolRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_temblor_agent_v1_EnrolResponse__Output>): grpc.ClientUnaryCall;
  Enrol(argument: _temblor_agent_v1_EnrolRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_temblor_agent_v1_EnrolResponse__Output>): grpc.ClientUnaryCall;
  Enrol(argument: _temblor_agent_v1_EnrolRequest, callback: grpc.requestCallback<_temblor_agent_v1_EnrolResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Gives an agent its certificate. The only call without a client certificate; the agent has
   * checked the controller's CA against the fingerprint in its join line before it makes it.
   */
  enrol(argument: _temblor_agent_v1_EnrolRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_temblor_agent_v1_EnrolResponse__Output>): grpc.ClientUnaryCall;
  enrol(argument: _temblor_agent_v1_EnrolRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_temblor_agent_v1_EnrolResponse__Output>): grpc.ClientUnaryCall;
  enrol(argument: _temblor_agent_v1_EnrolRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_temblor_agent_v1_EnrolResponse__Output>): grpc.ClientUnaryCall;
  enrol(argument: _temblor_agent_v1_EnrolRequest, callback: grpc.requestCallback<_temblor_agent_v1_EnrolResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Held for as long as the agent lives. The agent speaks first, with Hello.
   */
  Session(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_temblor_agent_v1_AgentMessage, _temblor_agent_v1_ControllerMessage__Output>;
  Session(options?: grpc.CallOptions): grpc.ClientDuplexStream<_temblor_agent_v1_AgentMessage, _temblor_agent_v1_ControllerMessage__Output>;
  /**
   * Held for as long as the agent lives. The agent speaks first, with Hello.
   */
  session(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_temblor_agent_v1_AgentMessage, _temblor_agent_v1_ControllerMessage__Output>;
  session(options?: grpc.CallOptions): grpc.ClientDuplexStream<_temblor_agent_v1_AgentMessage, _temblor_agent_v1_ControllerMessage__Output>;
  
}

/**
 * What an agent and a controller say to each other. Times are durations in milliseconds, never wall
 * clocks: the two clocks need not agree.
 */
export interface AgentServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Gives an agent its certificate. The only call without a client certificate; the agent has
   * checked the controller's CA against the fingerprint in its join line before it makes it.
   */
  Enrol: grpc.handleUnaryCall<_temblor_agent_v1_EnrolRequest__Output, _temblor_agent_v1_EnrolResponse>;
  
  /**
   * Held for as long as the agent lives. The agent speaks first, with Hello.
   */
  Session: grpc.handleBidiStreamingCall<_temblor_agent_v1_AgentMessage__Output, _temblor_agent_v1_ControllerMessage>;
  
}

export interface AgentServiceDefinition extends grpc.ServiceDefinition {
  Enrol: MethodDefinition<_temblor_agent_v1_EnrolRequest, _temblor_agent_v1_EnrolResponse, _temblor_agent_v1_EnrolRequest__Output, _temblor_agent_v1_EnrolResponse__Output>
  Session: MethodDefinition<_temblor_agent_v1_AgentMessage, _temblor_agent_v1_ControllerMessage, _temblor_agent_v1_AgentMessage__Output, _temblor_agent_v1_ControllerMessage__Output>
}
