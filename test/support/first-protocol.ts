import { fileURLToPath } from 'node:url'
import { loadPackageDefinition } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import type { ProtoGrpcType } from '../../proto/gen/agent.ts'

const path = fileURLToPath(new URL('first-protocol.proto', import.meta.url))
const options = { longs: Number, defaults: true, oneofs: true }

/** What agents and controllers of the first version say to each other; it never changes any more. */
export const firstProtocol = loadSync(path, options)

/** Its service, for an agent or controller of that version. */
export function loadFirstService(): ProtoGrpcType['temblor']['agent']['v1']['AgentService'] {
  const loaded = loadPackageDefinition(firstProtocol) as unknown as ProtoGrpcType
  return loaded.temblor.agent.v1.AgentService
}
