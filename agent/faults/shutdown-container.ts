import { setTimeout as sleep } from 'node:timers/promises'
import { ContainerFollower } from '../containers/follower.ts'
import { isOwnContainer } from '../containers/own-container.ts'
import { EngineError, type ContainerControl, type ContainerRun } from '../containers/source.ts'
import { killAndWait } from '../host/processes.ts'
import { FaultError, type ContainerTarget, type FaultHandle, type StrikeOutcome } from './fault.ts'
import { onceDone, waiting } from './shutdown-handle.ts'

/** What Docker itself gives a container to end by itself. */
const graceSeconds = 10
/** Docker waits longer before each restart in a row; after this it is not waited for any more. */
const restartWithinMs = 20_000

type Way = 'stop' | 'restart' | 'crash'
const announcements: Record<Way, string> = {
  stop: 'is stopped',
  restart: 'is restarted',
  crash: 'crashes: its first process is killed',
}
const backends: Record<Way, string> = {
  stop: 'Docker Engine, stop',
  restart: 'Docker Engine, restart',
  crash: 'SIGKILL from the host',
}

/** The shutdown of one container. @throws FaultError for the container in which the agent lives */
export async function containerShutdown(
  containers: ContainerControl,
  params: { readonly reboot: boolean; readonly crash: boolean; readonly delayMinutes: number },
  target: ContainerTarget,
): Promise<{ backend: string; handle: FaultHandle }> {
  const { id, name } = target
  if (isOwnContainer(target))
    throw new FaultError('unsupported', `The agent itself runs in the container ${name}.`)
  const way: Way = params.crash ? 'crash' : params.reboot ? 'restart' : 'stop'
  if (way === 'crash' && process.getuid?.() !== 0)
    throw new FaultError('no-permission', 'Only root may kill processes of containers.')
  const strike = async (): Promise<StrikeOutcome> => {
    try {
      const before = await containers.inspect(id)
      if (!before) return gone(`The container ${name} was removed before.`)
      if (!before.running) return gone(`The container ${name} did not run any more.`)
      return await ways[way](containers, target, before)
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      return { reason: 'fault_died', message: error.message }
    }
  }
  const announcement = `The container ${name} ${announcements[way]} in ${params.delayMinutes} min, unless the attack is halted.`
  return Promise.resolve({ backend: backends[way], handle: waiting({ announcement, strike }) })
}

type Act = (
  containers: ContainerControl,
  target: ContainerTarget,
  before: ContainerRun,
) => Promise<StrikeOutcome>

const ways: Record<Way, Act> = {
  async stop(containers, { id, name }) {
    await containers.stop(id, graceSeconds)
    const after = await containers.inspect(id)
    if (after?.running) return died(`The container ${name} still runs after it was stopped.`)
    const how = after ? `exit code ${after.exitCode}` : 'and was removed, as it was started to be'
    return done(`The container ${name} was stopped (${how}) and stays down.`, 0, after)
  },

  async restart(containers, { id, name }, before) {
    await containers.restart(id, graceSeconds)
    const after = await containers.inspect(id)
    if (!after?.running) return died(`The container ${name} did not start again.`)
    return done(`The container ${name} was restarted. ${starts(before, after)}`, 1, after)
  },

  async crash(containers, { id, name }, before) {
    const state = await containers.resolve(id)
    if (!state?.target) return gone(`The container ${name} did not run any more.`)
    const old = state.target
    const follower = new ContainerFollower(state, containers, () => undefined)
    try {
      if (!(await killAndWait(old.init)))
        return died(`The first process of the container ${name} (${old.init.pid}) does not end.`)
      const policy = `its restart policy "${before.restartPolicy}"`
      const next = await outcomeOfCrash(containers, follower, old, before)
      if (next === 'removed')
        return done(`The container ${name} crashed and was removed, as it was started to be.`, 0)
      const after = await containers.inspect(id)
      if (next === 'back' && after)
        return done(
          `The container ${name} crashed, and ${policy} started it again. ${starts(before, after)}`,
          1,
          after,
        )
      return done(`The container ${name} crashed and stays down: ${policy}.`, 0, after)
    } finally {
      follower.close()
    }
  },
}

/** What the engine does about a container whose first process was killed. */
async function outcomeOfCrash(
  containers: ContainerControl,
  follower: ContainerFollower,
  old: ContainerTarget,
  before: ContainerRun,
): Promise<'back' | 'removed' | 'down'> {
  const waits = new AbortController()
  const givenUp =
    before.restartPolicy === 'no'
      ? untilDown(containers, old.id, waits.signal)
      : sleep(restartWithinMs, undefined, { signal: waits.signal })
  try {
    const next = await follower.next(
      old,
      givenUp.catch(() => undefined),
    )
    if (next === 'removed') return 'removed'
    return next ? 'back' : 'down'
  } finally {
    waits.abort()
  }
}

/** Resolves when the engine has noticed that the container is down, or removed it. */
async function untilDown(
  containers: ContainerControl,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + restartWithinMs
  while (performance.now() < until) {
    const run = await containers.inspect(id).catch(() => undefined)
    if (run && !run.running) return
    await sleep(100, undefined, { signal })
  }
}

function starts(before: ContainerRun, after: ContainerRun): string {
  const restarts = `${before.restartCount} restarts by policy before, ${after.restartCount} after`
  return `Started ${before.startedAt} before, ${after.startedAt} after; ${restarts}.`
}

function done(message: string, cameBack: 0 | 1, after?: ContainerRun): StrikeOutcome {
  const detail = { came_back: cameBack, ...(after ? { restarts: after.restartCount } : {}) }
  return { reason: 'completed', message, measured: onceDone(detail) }
}

function died(message: string): StrikeOutcome {
  return { reason: 'fault_died', message }
}

function gone(message: string): StrikeOutcome {
  return { reason: 'target_gone', message }
}
