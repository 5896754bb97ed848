import { credentials as grpcCredentials, type ChannelOptions } from '@grpc/grpc-js'
import type { AgentServiceClient } from '../proto/gen/temblor/agent/v1/AgentService.ts'
import { loadAgentService } from '../proto/load.ts'
import { controllerName } from './ca-pin.ts'

const options: ChannelOptions = {
  // The certificate names the controller, not its address: addresses change.
  'grpc.ssl_target_name_override': controllerName,
  'grpc.default_authority': controllerName,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // Two minutes by default, far too long for an agent.
  'grpc.initial_reconnect_backoff_ms': 500,
  'grpc.max_reconnect_backoff_ms': 10_000,
  'grpc.enable_channelz': 0,
  // A renewed certificate must be used by the next connection.
  'grpc.use_local_subchannel_pool': 1,
}

/**
 * A client of the controller that trusts exactly this CA. With a key and certificate the connection
 * is mutually authenticated.
 */
export function openChannel(
  address: string,
  caPem: string,
  own?: { keyPem: string; certificatePem: string },
): AgentServiceClient {
  const credentials = grpcCredentials.createSsl(
    Buffer.from(caPem),
    own ? Buffer.from(own.keyPem) : null,
    own ? Buffer.from(own.certificatePem) : null,
  )
  const Service = loadAgentService()
  return new Service(address, credentials, options)
}
