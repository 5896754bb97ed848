import { fileURLToPath } from 'node:url'
import { loadPackageDefinition } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import type { ProtoGrpcType } from './gen/agent.ts'

/** The options that `proto/gen` is generated with; `npm run gen` must use the same. */
const options = { longs: Number, defaults: true, oneofs: true, includeDirs: [import.meta.dirname] }

/** Loads the wire contract between agent and controller. */
export function loadAgentService(): ProtoGrpcType['temblor']['agent']['v1']['AgentService'] {
  const file = fileURLToPath(new URL('temblor/agent/v1/agent.proto', import.meta.url))
  const loaded = loadPackageDefinition(loadSync(file, options)) as unknown as ProtoGrpcType
  return loaded.temblor.agent.v1.AgentService
}
