import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureFirstOwner } from '../../controller/admin/first-owner.ts'
import { type ManagedChild, readyMessage, startChild } from '../../deploy/local/child-process.ts'
import { controllerFlags } from '../../deploy/local/controller-flags.ts'
import { openDataDir } from '../../deploy/local/data-dir.ts'
import { startRedis } from '../../deploy/local/redis.ts'
import { type ApiClient, createApiClient } from '../../shared/api/client.ts'
import { login, sessionsOf } from '../../shared/api/sessions.ts'
import type { BareAnswers } from '../fleet/bare-main.ts'
import type { FleetAnswers } from '../fleet/fleet-main.ts'
import { type Answers, type Ask, questionsTo } from '../fleet/questions.ts'
import type { SelfAnswers } from '../fleet/self-watch.ts'
import { openFurtherSessions } from './rig.ts'

/** How agents come in. */
export type Mode = 'plain' | 'tls'

/** A process of the rig, and the way to ask it. */
export interface Asked<A extends Answers> {
  readonly pid: number
  readonly ask: Ask<A>
  /** Ends it in order. */
  stop(): Promise<void>
  /** Ends it as a power cut does. */
  kill(): Promise<void>
}

/** Something that agents connect to. */
export interface AgentsServer extends Asked<SelfAnswers> {
  readonly grpcPort: number
}

export interface FleetController extends AgentsServer {
  readonly baseUrl: string
}

export interface BareController extends Asked<BareAnswers> {
  readonly grpcPort: number
}

/** Redis and one team, with controllers and fleets as they are asked for. */
export interface FleetRig {
  readonly dir: string
  readonly redisUrl: string
  readonly teamId: string
  readonly keyFile: string
  /** On this port for agents; 0 for any. */
  startController(mode: Mode, grpcPort?: number): Promise<FleetController>
  startBare(mode: Mode, grpcPort?: number): Promise<BareController>
  startFleetProcess(): Promise<Asked<FleetAnswers>>
  /** Signs in at a controller with so many sessions, each with its own allowance of requests. */
  signIn(baseUrl: string, sessions: number): Promise<ApiClient[]>
  /** The same, as the headers of those sessions. */
  openSessions(baseUrl: string, sessions: number): Promise<string[]>
  /** Ends and removes everything. */
  close(): Promise<void>
}

const readyWithinMs = 60_000
const stopMs = 20_000

const inProject = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url))

/** Builds what is measured, starts Redis and makes the team. */
export async function startFleetRig(): Promise<FleetRig> {
  execFileSync(process.execPath, [inProject('test/fleet/build.mjs')])
  const dir = mkdtempSync(path.join(tmpdir(), 'temblor-bench-fleet-'))
  const dataDir = openDataDir(dir)
  const redis = await startRedis(dataDir)
  const keyFile = path.join(dir, 'keys.json')
  const ownerEmail = 'owner@bench.local'
  const first = await ensureFirstOwner({
    redisUrl: redis.url,
    keyFile,
    company: 'Bench',
    team: 'Bench',
    ownerEmail,
  })
  const children = new Set<ManagedChild>()
  const start = async (name: Program, args: readonly string[], env = {}) => {
    const child = startProcess(dir, name, args, env)
    children.add(child)
    const ready = await readyMessage<Ports>(child, readyWithinMs)
    return { child, ready }
  }
  const openSessions = async (baseUrl: string, count: number) => {
    const body = { email: ownerEmail, password: first.owner.password ?? '' }
    const [session] = sessionsOf(await createApiClient({ baseUrl }).call(login, { body }))
    if (!session) throw new Error('The login gave no session.')
    const api = createApiClient({ baseUrl, authorization: session.header })
    return await openFurtherSessions(dir, redis.url, api, session, count)
  }
  const controllerEnv = {
    ...closedIn,
    TEMBLOR_REDIS_URL: redis.url,
    TEMBLOR_KEY_FILE: keyFile,
    TEMBLOR_HTTP_PORT: '0',
  }
  return {
    dir,
    redisUrl: redis.url,
    teamId: first.team.id,
    keyFile,
    async startController(mode, grpcPort = 0) {
      const env = { ...controllerEnv, TEMBLOR_GRPC_PORT: String(grpcPort) }
      const { child, ready } = await start('controller', [mode], env)
      const baseUrl = `http://127.0.0.1:${ready.httpPort}/v1`
      return { ...askedOf<SelfAnswers>(child), baseUrl, grpcPort: ready.grpcPort }
    },
    async startBare(mode, grpcPort = 0) {
      const args = [mode, keyFile, String(grpcPort)]
      const { child, ready } = await start('bare', args)
      return { ...askedOf<BareAnswers>(child), grpcPort: ready.grpcPort }
    },
    startFleetProcess: async () => askedOf<FleetAnswers>((await start('fleet', [])).child),
    openSessions,
    async signIn(baseUrl, count) {
      const authorizations = await openSessions(baseUrl, count)
      return authorizations.map((authorization) => createApiClient({ baseUrl, authorization }))
    },
    async close() {
      for (const child of children) await child.stop(stopMs)
      await redis.child.stop(stopMs)
      dataDir.release()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

interface Ports {
  readonly httpPort: number
  readonly grpcPort: number
}

/** Closed in itself, whatever a service on this machine is set to. */
const closedIn = {
  TEMBLOR_LISTEN: '127.0.0.1',
  TEMBLOR_GRPC_LISTEN: '127.0.0.1',
  TEMBLOR_TLS_CERT: '',
  TEMBLOR_TLS_KEY: '',
  TEMBLOR_PUBLIC_URL: 'http://127.0.0.1',
  TEMBLOR_TRUSTED_PROXIES: '127.0.0.1',
  TEMBLOR_HEARTBEAT_MS: '5000',
  // What the machine can do is measured, not what the limit allows.
  TEMBLOR_REGISTRATIONS_PER_SECOND: '100000',
  TEMBLOR_LOG_LEVEL: 'warn',
}

/** What `test/fleet/build.mjs` makes. */
type Program = 'controller' | 'bare' | 'fleet'

function startProcess(
  dir: string,
  name: Program,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ManagedChild {
  return startChild({
    name,
    program: process.execPath,
    // The floor has what the controller has.
    args: [...controllerFlags, inProject(`dist-fleet/${name}.js`), ...args],
    ipc: true,
    env,
    logFile: path.join(dir, 'logs', `${name}.log`),
  })
}

function askedOf<A extends Answers>(child: ManagedChild): Asked<A> {
  return {
    pid: child.process.pid as number,
    ask: questionsTo<A>(child.process),
    stop: () => child.stop(stopMs),
    async kill() {
      child.kill()
      await child.ended
    },
  }
}
