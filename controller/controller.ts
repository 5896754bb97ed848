import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { mutualTls, type OpenDoor } from './agents/door.ts'
import type { AgentHub } from './agents/hub.ts'
import { openAgents } from './agents/start.ts'
import { openAudit } from './audit/audit.ts'
import { createAgentAudit } from './audit/of-agents.ts'
import { createAuditHasher } from './audit/entry.ts'
import { buildApp, type AppDeps } from './app.ts'
import { createMfaService } from './api/mfa/service.ts'
import { createAccess } from './auth/access.ts'
import { caFingerprint, openKeyFile, type KeyFile } from './auth/key-file.ts'
import { createFloodHasher } from './auth/flood-hasher.ts'
import { createHashProcess } from './auth/hash-process.ts'
import { createSeal, type Seal } from './auth/seal.ts'
import { createSetup, type SetupDeps } from './auth/setup.ts'
import { createLockOut } from './auth/lock-out.ts'
import { createPasswords } from './auth/password.ts'
import { isLocal } from './auth/provider-settings.ts'
import { createRations } from './auth/ration.ts'
import { isLoopback, type ControllerConfig } from './config.ts'
import { openEventFeed } from './events/feed.ts'
import { createHealth } from './health.ts'
import { startAuditCare } from './jobs/audit-care.ts'
import { startDeadlines } from './jobs/deadlines.ts'
import { startRetention } from './jobs/retention.ts'
import { createMailer } from './mail/mailer.ts'
import { createOutbound } from './oauth/outbound.ts'
import { createPublicProvider } from './oauth/public-provider.ts'
import { createOutages } from './outages.ts'
import { ownBootId, registerOwnHost } from './own-host.ts'
import { siteOf, type Site } from './site.ts'
import { durabilityWarnings } from './store/durability.ts'
import { openRedis } from './store/redis.ts'
import { onceStorageAnswers } from './store/storage-away.ts'
import { openStore, type Store } from './store/store.ts'
import { openWaitingRoom, type WaitingRoom } from './waiting-room.ts'

export interface Controller {
  readonly httpPort: number
  readonly grpcPort: number
  /** Lets the agents go to other controllers, and serves requests meanwhile. */
  drain(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a controller: connects, then listens for agents, then for requests. Agents come in by mutual
 * TLS, unless what measures it gives another door. `beforeListening` is the last moment in which nobody waits for this process.
 * While Redis does not answer it waits for it, and says so to whoever asks.
 * @throws Error when Redis refuses, a port is taken or the key file is unreadable
 */
export async function startController(
  config: ControllerConfig,
  logger: Logger,
  openDoor: OpenDoor = mutualTls,
  beforeListening: () => void = () => undefined,
): Promise<Controller> {
  const keyFile = await openKeyFile(config.keyFile)
  const seal = createSeal(keyFile)
  const { redis, store, room } = await connect(config, seal, logger)
  const { audit, agentAudit, closeAudit } = startAudit({ store, keyFile, logger }, config)
  const warnings = await durabilityWarnings(redis)
  for (const warning of [...warnings, ...linkWarnings(config)]) logger.warn(warning)
  const bootId = ownBootId()
  const ownHost = await registerOwnHost(store, bootId, logger)
  const agentDeps = { store, redis, keyFile, logger, bootId, agentAudit }
  const { hub, listen } = await openAgents(agentDeps, config, openDoor)
  const jobs = await startJobs({ store, hub, logger }, config)
  const { passwords, hashProcess } = await startPasswords(logger)
  const lockOut = createLockOut(store.attempts, seal)
  const rations = createRations(store.attempts, seal)
  const { sessionSeconds, renewalSeconds } = config
  const signInDeps = { store, seal, passwords, lockOut, sessionSeconds, renewalSeconds }
  const mfa = createMfaService({ ...signInDeps, audit })
  const mailer = createMailer(config.mail, logger)
  const feed = openEventFeed(redis, config.redisUrl)
  const gate = { access: createAccess(signInDeps), mfa, seal, passwords, lockOut, ...rations }
  const site = () => siteWith(config, { httpPort: portOf(app), grpcPort: agents.port })
  const ways = {
    mailer,
    siteUrl: () => site().url,
    ...waysToProviders(config, () => site().url),
    agentAddress: () => site().agentAddress,
    caSha256: caFingerprint(keyFile),
  }
  const health = createHealth({ redis, controllers: store.controllers, hub, mailer, warnings })
  const seen = { hub, feed, health, transport: readTransport(config) }
  const app = await buildApp({ store, audit, ...gate, ...ways, ...seen, redis, logger })
  beforeListening()
  const agents = await listen()
  await room?.close()
  await app.listen({ host: config.listen, port: room?.port ?? config.httpPort })
  await offerSetup(signInDeps, site().url, logger)
  return {
    httpPort: portOf(app),
    grpcPort: agents.port,
    drain: () => agents.drain(),
    async close() {
      feed.close()
      await closeApp(app)
      await hashProcess.close()
      await mailer?.close()
      await agents.close()
      await jobs.close()
      ownHost.close()
      await closeAudit()
      redis.disconnect()
    },
  }
}

/** Opens the stores, however long that takes; the port of the API answers meanwhile. */
async function connect(config: ControllerConfig, seal: Seal, logger: Logger) {
  const redis = openRedis(config.redisUrl)
  const outages = createOutages(logger)
  let room: WaitingRoom | undefined
  const store = await onceStorageAnswers(
    redis,
    () => openStore(redis, seal),
    async (why) => {
      outages.away(why)
      room = await openWaitingRoom(config)
    },
  )
  outages.back()
  outages.watch(redis)
  return { redis, store, room }
}

/** The process for floods starts when the start of the controller is over: within a flood it would take a core. */
const hashProcessAfterMs = 15_000

async function startPasswords(logger: Logger) {
  const onTrouble = (err: Error) => logger.warn({ err }, 'passwords are hashed here')
  const hashProcess = createHashProcess(onTrouble, hashProcessAfterMs)
  return { hashProcess, passwords: await createPasswords(createFloodHasher(hashProcess)) }
}

/** Tells whoever reads the log how the first owner is made, while there is none. */
async function offerSetup(deps: SetupDeps, page: string, logger: Logger): Promise<void> {
  const setup = createSetup(deps)
  if (!(await setup.isNeeded())) return
  const code = await setup.code()
  logger.warn(
    { page, code },
    'nobody can sign in yet: open the page and give it this code, which works once',
  )
}

/** What is looked after in the background, on one of the controllers at a time. */
async function startJobs(
  deps: { store: Store; hub: AgentHub; logger: Logger },
  { redisUrl, attackDays, hostDays }: ControllerConfig,
) {
  const deadlines = await startDeadlines({ ...deps, redisUrl })
  const retention = startRetention({ ...deps, attackDays, hostDays })
  return {
    async close() {
      retention.close()
      await deadlines.close()
    },
  }
}

/** The audit, what agents do in it, and its care. */
function startAudit(
  { store, keyFile, logger }: { store: Store; keyFile: KeyFile; logger: Logger },
  { auditDays }: ControllerConfig,
) {
  const audit = openAudit({ chains: store.audit, hasher: createAuditHasher(keyFile), logger })
  const care = startAuditCare({ store, audit, logger, days: auditDays })
  return {
    audit,
    agentAudit: createAgentAudit(audit, store),
    closeAudit: async () => {
      care.close()
      await audit.close()
    },
  }
}

/** How identity providers are reached. */
function waysToProviders(
  { localProviders, publicProvider }: ControllerConfig,
  siteUrl: () => string,
): Pick<AppDeps, 'outbound' | 'mayBeLocal' | 'publicProvider'> {
  const mayBeLocal = () => localProviders ?? isLocal(new URL(siteUrl()).hostname)
  const outbound = createOutbound(mayBeLocal)
  return {
    outbound,
    mayBeLocal,
    publicProvider: publicProvider && createPublicProvider(publicProvider, outbound),
  }
}

function siteWith(config: ControllerConfig, ports: { httpPort: number; grpcPort: number }): Site {
  return siteOf({ ...config, isTls: config.tls !== undefined }, ports)
}

/** Links lead to where the controller listens, which others may not reach. */
function linkWarnings({ publicUrl, listen, trustedProxies }: ControllerConfig): string[] {
  const isSeenFromOutside = trustedProxies.length > 0 || !isLoopback(listen)
  return !publicUrl && isSeenFromOutside
    ? ['TEMBLOR_PUBLIC_URL is not set: links of invitations lead to this machine itself.']
    : []
}

/** How long requests that are being answered may take when the controller ends. */
const answersWithinMs = 2_000

/** Lets requests be answered; connections over which nothing was asked would wait for ever. */
async function closeApp(app: FastifyInstance): Promise<void> {
  const force = setTimeout(() => app.server.closeAllConnections(), answersWithinMs)
  await app.close().finally(() => clearTimeout(force))
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as { port: number }).port
}

function readTransport({ tls, trustedProxies }: ControllerConfig): AppDeps['transport'] {
  return {
    trustedProxies,
    tls: tls && { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) },
  }
}
