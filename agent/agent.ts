import { setTimeout as sleep } from 'node:timers/promises'
import { destination, pino, type Logger } from 'pino'
import { reconnectDelayMs } from './backoff.ts'
import { exitCodes } from './cli/exit-codes.ts'
import { readConfig, type AgentConfig } from './config.ts'
import { startControlServer } from './control/server.ts'
import { ControllerLink } from './controller-link.ts'
import { openCore, type AgentCore } from './core.ts'
import { EnrolmentPostponed, obtainCredentials } from './enrol.ts'
import type { ExecutionUpdate } from './execution-update.ts'
import { readFacts } from './facts.ts'
import { giveBackMemory } from './host/give-back.ts'
import type { AgentCredentials } from './identity.ts'
import { buildInventory, capabilities, warningsOf } from './inventory.ts'
import { PlainError } from './plain-error.ts'

/** What was needed to start is done with by then. */
const settleMs = 2000
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Runs the agent until it is told to stop or is refused for good. Logs JSON to stderr. A parent with
 * an IPC channel is sent `{ ready, identifier, warnings }` once it is connected.
 * @returns the exit code
 */
export async function runAgent(env: NodeJS.ProcessEnv): Promise<number> {
  const log = createLog(env['TEMBLOR_LOG_LEVEL'])
  try {
    const config = readConfig(env)
    log.level = config.logLevel
    return await serve(config, log)
  } catch (error) {
    if (!(error instanceof PlainError)) throw error
    log.fatal(error.message)
    return 1
  }
}

async function serve(config: AgentConfig, log: Logger): Promise<number> {
  const stopping = listenForSignals()
  // Updates of the replay and of local attacks wait here until there is a controller to tell.
  const early: ExecutionUpdate[] = []
  let link: ControllerLink | undefined
  let onUpdate = (update: ExecutionUpdate): void => {
    if (!update.measured || update.reason) early.push(update)
  }
  const watchers = new Set<(update: ExecutionUpdate) => void>()
  const core = await openCore(config, {
    onUpdate: (update) => {
      logUpdate(log, update)
      onUpdate(update)
      for (const watch of watchers) watch(update)
    },
    onContainers: () => link?.inventoryChanged(),
    onJournal: (problem) => logJournal(log, problem),
  })
  for (const name of core.journal.unreadable) log.error({ name }, 'a journal file is unreadable')
  const control = await startControlServer({ core, watchers, link: () => link?.status })
  let code: number = exitCodes.ok
  let farewell = 'The agent was stopped.'
  try {
    const credentials = await join(core, log, stopping.signal)
    if (credentials) {
      link = createLink(core, credentials, log)
      const open = link
      onUpdate = (update) => open.report(update)
      for (const update of early) open.report(update)
      const refusal = await Promise.race([open.run(), stopping.promise])
      if (refusal) {
        farewell = refusal.message
        code = exitCodes.agentRefused
        log.fatal({ code: refusal.code }, `The controller refused this agent: ${refusal.message}`)
      }
    }
  } catch (error) {
    if (!(error instanceof PlainError)) throw error
    log.fatal(error.message)
    code = 1
  } finally {
    await core.executor.close(farewell)
    await link?.close(farewell)
    await control.close()
    await core.close(farewell)
  }
  log.info('stopped')
  return code
}

/** Joins, trying again while the controller cannot be reached; undefined when told to stop. */
async function join(
  core: AgentCore,
  log: Logger,
  signal: AbortSignal,
): Promise<AgentCredentials | undefined> {
  const { stateDir, join: line } = core.config
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await obtainCredentials(stateDir, core.instanceId, line)
    } catch (error) {
      if (error instanceof PlainError) throw error
      const toldMs = error instanceof EnrolmentPostponed ? error.retryAfterMs : undefined
      const delayMs = reconnectDelayMs(attempt, false, toldMs)
      log.warn({ delayMs: Math.round(delayMs) }, String(error))
      await sleep(delayMs, undefined, { signal }).catch(() => undefined)
    }
  }
  return undefined
}

function createLink(core: AgentCore, credentials: AgentCredentials, log: Logger): ControllerLink {
  const { config, engine, executor, journal, instanceId, bootId, probes } = core
  const sources = { config, probes, engine, facts: readFacts() }
  let isReady = false
  return new ControllerLink({
    executor,
    journal,
    log,
    instanceId,
    bootId,
    credentials,
    identifier: config.identifier,
    stateDir: config.stateDir,
    inventory: () => buildInventory(sources),
    onReady() {
      if (isReady) return
      isReady = true
      setTimeout(() => {
        // Collecting garbage blocks for a moment; an attack is measured and has a deadline.
        if (executor.running.length === 0) giveBackMemory()
      }, settleMs).unref()
      const warnings = warningsOf(capabilities(sources))
      for (const warning of warnings) log.warn(warning)
      // The parent may be gone; that is no reason to stop.
      if (process.connected)
        process.send?.({ ready: true, identifier: config.identifier, warnings }, () => undefined)
    },
  })
}

function listenForSignals(): { signal: AbortSignal; promise: Promise<undefined> } {
  const controller = new AbortController()
  const promise = new Promise<undefined>((resolve) => {
    for (const name of stopSignals)
      process.on(name, () => {
        controller.abort()
        resolve(undefined)
      })
  })
  return { signal: controller.signal, promise }
}

function createLog(level: string | undefined): Logger {
  const stderr = destination({ fd: 2, sync: true })
  // Whoever read the log may be gone; the agent goes on.
  stderr.on('error', () => undefined)
  const known = level !== undefined && level in pino.levels.values
  return pino({ level: known ? level : 'info', base: { pid: process.pid } }, stderr)
}

function logJournal(log: Logger, problem: string | undefined): void {
  if (problem === undefined) return log.info('the journal is written again')
  return log.error(`${problem} No attack is begun until it can be.`)
}

function logUpdate(log: Logger, update: ExecutionUpdate): void {
  const { executionId, stage, reason, message, measured } = update
  if (measured && !reason) return log.debug({ executionId, measured }, 'measured')
  return log.info({ executionId, stage, reason, measured }, message || stage)
}
