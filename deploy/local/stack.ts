import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBundle } from '../../agent/cli/bundle.js'
import { ensureFirstOwner } from '../../controller/admin/first-owner.ts'
import { readConfig, type ControllerConfig } from '../../controller/config.ts'
import { localHost, siteOf } from '../../controller/site.ts'
import { openRedis } from '../../controller/store/redis.ts'
import { onceStorageAnswers } from '../../controller/store/storage-away.ts'
import { openWaitingRoom, type WaitingRoom } from '../../controller/waiting-room.ts'
import { formatJoinLine } from '../../shared/join-line.ts'
import { type ManagedChild, readyMessage, startChild } from './child-process.ts'
import { controllerFlags } from './controller-flags.ts'
import type { DataDir } from './data-dir.ts'
import { type LocalRedis, startRedis } from './redis.ts'
import { type SupervisedAgent, startAgent } from './supervised-agent.ts'

const controllerReadyTimeoutMs = 60_000
/** The agent reverts and reports within this, before it is ended by force. */
const agentStopMs = 20_000
/** Beyond what its agents are given to go to other controllers. */
const controllerStopMs = 15_000
const redisStopMs = 15_000

export interface StackOptions {
  readonly dataDir: DataDir
  readonly listen: string
  readonly grpcListen: string
  /** The controller ends TLS itself. */
  readonly isTls: boolean
  readonly httpPort: number
  readonly grpcPort: number
  readonly publicUrl?: string | undefined
  /** A Redis of the user's; without it an embedded one is started. */
  readonly redisUrl?: string | undefined
  readonly company: string
  readonly team: string
  readonly ownerEmail: string
  readonly ownerPassword?: string | undefined
  /** Settings of the controller that are not listed here, over those of this process. */
  readonly controllerEnv?: NodeJS.ProcessEnv
  readonly say: (line: string) => void
  /** Ends the waiting for a Redis of the user's. */
  readonly signal?: AbortSignal
}

type FirstOwner = Awaited<ReturnType<typeof ensureFirstOwner>>

export interface Stack {
  readonly appUrl: string
  readonly baseUrl: string
  readonly grpcAddress: string
  readonly first: FirstOwner
  readonly joinLine: string
  readonly redisUrl: string
  readonly agent: SupervisedAgent
  /** Resolves with the reason when a part died and the service cannot go on. */
  readonly broken: Promise<string>
  /** Ends the agent, then the controller, then Redis, each after the other has gone. */
  stop(): Promise<void>
}

/** Starts Redis, controller and the agent of this host. What was started is stopped if one fails. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const parts: { redis?: LocalRedis; controller?: ManagedChild; agent?: SupervisedAgent } = {}
  let drainMs = 0
  const stop = async () => {
    await parts.agent?.stop(agentStopMs)
    await parts.controller?.stop(drainMs + controllerStopMs)
    await parts.redis?.child.stop(redisStopMs)
  }
  try {
    if (!options.redisUrl) parts.redis = await startRedis(options.dataDir)
    const redisUrl = options.redisUrl ?? (parts.redis as LocalRedis).url
    const keyFile = path.join(options.dataDir.path, 'keys.json')
    const env = controllerEnv(options, redisUrl, keyFile)
    const config = readConfig({ ...process.env, ...env })
    drainMs = config.drainMs
    if (options.redisUrl) await untilRedisAnswers(options, config)
    const { company, team, ownerEmail, ownerPassword } = options
    const first = await ensureFirstOwner({
      redisUrl,
      keyFile,
      company,
      team,
      ownerEmail,
      ...(ownerPassword ? { ownerPassword } : {}),
    })
    parts.controller = startController(options, env)
    const ports = await readyMessage<{ httpPort: number; grpcPort: number }>(
      parts.controller,
      controllerReadyTimeoutMs,
    )
    const site = siteOf(options, ports)
    const join = { teamId: first.team.id, secret: first.team.secret, caSha256: first.caSha256 }
    parts.agent = await startAgent({
      dataDir: options.dataDir,
      joinLine: formatJoinLine({
        address: `${localHost(options.grpcListen)}:${ports.grpcPort}`,
        ...join,
      }),
      say: options.say,
    })
    return {
      appUrl: site.url,
      baseUrl: `${site.url}/v1`,
      grpcAddress: site.agentAddress,
      first,
      joinLine: formatJoinLine({ address: site.agentAddress, ...join }),
      redisUrl,
      agent: parts.agent,
      broken: Promise.race([
        diedOf(parts.controller),
        parts.agent.gaveUp,
        ...(parts.redis ? [diedOf(parts.redis.child)] : []),
      ]),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The first owner needs storage; the port of the API answers meanwhile as that of a controller does. */
async function untilRedisAnswers(options: StackOptions, config: ControllerConfig): Promise<void> {
  const redis = openRedis(config.redisUrl)
  redis.on('error', () => undefined)
  let room: WaitingRoom | undefined
  const sayAway = async (why: string) => {
    room = await openWaitingRoom(config)
    options.say(
      `Waiting for Redis, which is away (${why}). ${config.listen}:${room.port} answers 503 until it is there.`,
    )
  }
  try {
    await onceStorageAnswers(redis, () => redis.ping(), sayAway, options.signal)
  } finally {
    redis.disconnect()
    await room?.close()
  }
}

/** The built controller, made first where it is not; the sources where it cannot be made. */
function controllerProgram(say: StackOptions['say']): string {
  const isBuilt = ensureBundle('dist-controller')
  if (!isBuilt)
    say(
      'there is no build in dist-controller/ and it cannot be made; the controller runs from its sources, which takes more memory.',
    )
  const program = isBuilt ? 'dist-controller/controller.js' : 'controller/main.ts'
  return fileURLToPath(new URL(`../../${program}`, import.meta.url))
}

function startController(options: StackOptions, env: NodeJS.ProcessEnv): ManagedChild {
  return startChild({
    name: 'controller',
    program: process.execPath,
    args: [...controllerFlags, controllerProgram(options.say)],
    ipc: true,
    env,
    logFile: path.join(options.dataDir.logsPath, 'controller.log'),
    onProblem: (message) => options.say(`controller: ${message}`),
  })
}

function controllerEnv(
  options: StackOptions,
  redisUrl: string,
  keyFile: string,
): NodeJS.ProcessEnv {
  return {
    ...options.controllerEnv,
    TEMBLOR_LISTEN: options.listen,
    TEMBLOR_GRPC_LISTEN: options.grpcListen,
    TEMBLOR_HTTP_PORT: String(options.httpPort),
    TEMBLOR_GRPC_PORT: String(options.grpcPort),
    TEMBLOR_REDIS_URL: redisUrl,
    TEMBLOR_KEY_FILE: keyFile,
    ...(options.publicUrl ? { TEMBLOR_PUBLIC_URL: options.publicUrl } : {}),
  }
}

async function diedOf(child: ManagedChild): Promise<string> {
  const { code, signal } = await child.ended
  const how = signal ? `was ended by ${signal}` : `ended with code ${code}`
  return [`the ${child.name} ${how}`, ...child.lastLines().slice(-3)].join('\n  ')
}
