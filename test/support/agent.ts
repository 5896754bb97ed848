import { rmSync } from 'node:fs'
import type { Client } from '../../shared/api/clients.ts'
import type { Api } from './api.ts'
import { startNode, type Environment, type Running } from './command.ts'
import { temporaryDir } from './service.ts'
import { apiPollMs, until } from './until.ts'

/** A further agent of a team, in a process of its own on this machine. */
export interface FurtherAgent {
  readonly identifier: string
  readonly dir: string
  readonly process: Running
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts an agent; it is a host of its own to the controller. */
export function startAgent(
  identifier: string,
  join: string,
  environment: Environment = {},
  dir: string = temporaryDir(),
): FurtherAgent {
  const running = startNode(['agent/main.ts'], {
    TEMBLOR_JOIN: join,
    TEMBLOR_AGENT_DIR: dir,
    TEMBLOR_IDENTIFIER: identifier,
    ...environment,
  })
  return {
    identifier,
    dir,
    process: running,
    async [Symbol.asyncDispose]() {
      await running.stop('SIGTERM')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Waits until the controller would aim at this host. */
export async function untilTargetable(api: Api, identifier: string): Promise<Client> {
  return await until(
    `${identifier} is targetable`,
    async () =>
      (await api.activeClients()).find((one) => one.identifier === identifier && one.targetable),
    15_000,
    apiPollMs,
  )
}
