import { randomUUID } from 'node:crypto'
import type { KeyFile } from '../auth/key-file.ts'
import type { ControllerConfig } from '../config.ts'
import { openBells } from '../store/bells.ts'
import type { Redis } from '../store/redis.ts'
import { openAuthority } from './authority.ts'
import type { OpenDoor } from './door.ts'
import { openHub, type AgentHub } from './hub.ts'
import { startAgentServer, type AgentServer } from './server.ts'
import type { SessionDeps } from './session.ts'

/** What agents need that the rest of the controller has already. */
export interface AgentDeps extends Pick<SessionDeps, 'store' | 'logger' | 'bootId' | 'agentAudit'> {
  readonly redis: Redis
  readonly keyFile: KeyFile
}

/** Where agents come in, once it is opened. */
export interface AgentGate {
  readonly hub: AgentHub
  /** Lets agents in. @throws Error when the port is taken */
  readonly listen: () => Promise<AgentServer>
}

/**
 * Listens for what other controllers say of agents, and makes ready for them.
 * @throws Error when storage is away
 */
export async function openAgents(
  { redis, keyFile, ...deps }: AgentDeps,
  config: ControllerConfig,
  openDoor: OpenDoor,
): Promise<AgentGate> {
  const { redisUrl, heartbeatMs, deadManMs, grpcListen, grpcPort } = config
  const controllerId = randomUUID()
  const bells = openBells(redis, redisUrl, controllerId)
  const { store, logger } = deps
  const { hosts, teamClocks } = store
  const hub = await openHub({ controllerId, bells, hosts, teamClocks, logger })
  const authority = await openAuthority(keyFile)
  const door = await openDoor(authority)
  return {
    hub,
    async listen() {
      const server = await startAgentServer(
        { ...deps, hub, authority, controllerId, heartbeatMs, deadManMs },
        door,
        { host: grpcListen, port: grpcPort },
        config,
      )
      const close = async () => {
        await server.close()
        bells.close()
      }
      return { ...server, close }
    },
  }
}
