import { randomUUID } from 'node:crypto'
import { version } from '../../shared/version.ts'
import type { AgentCore } from '../core.ts'
import type { ExecutionUpdate, RunOrder } from '../execution-update.ts'
import { capabilities } from '../inventory.ts'
import { isLeftBehind, type Journal, type Report } from '../journal.ts'
import type { AgentStatus, LocalAttack, LocalReport, RollbackResult } from './protocol.ts'

/** What the command line can do on this host, through a running agent or without one. */
export interface LocalHost {
  /** Runs an attack to its end; aborting `signal` halts it. */
  attack(
    attack: LocalAttack,
    onUpdate: (update: ExecutionUpdate) => void,
    signal: AbortSignal,
  ): Promise<LocalReport>
  status(): Promise<AgentStatus>
  rollback(): Promise<RollbackResult>
  close(): Promise<void>
}

/** The host as the process that owns the journal serves it. */
export function serveLocalHost(options: {
  core: AgentCore
  watchers: Set<(update: ExecutionUpdate) => void>
  link: () => { connected: boolean; address: string; problem: string | undefined } | undefined
}): LocalHost {
  const { core, watchers } = options
  return {
    async attack(attack, onUpdate, signal) {
      const order = await localOrder(core, attack)
      const { executionId, attackId } = order
      const watch = (update: ExecutionUpdate) => {
        if (update.executionId === executionId) onUpdate(update)
      }
      const halt = () => core.executor.halt(executionId, 1, attackId)
      watchers.add(watch)
      signal.addEventListener('abort', halt, { once: true })
      try {
        await core.executor.run(order)
        if (signal.aborted) halt()
        const report = (await core.executor.ended(executionId)) as Report
        return { ...report, executionId, attackId }
      } finally {
        watchers.delete(watch)
        signal.removeEventListener('abort', halt)
      }
    },
    status: () => Promise.resolve(statusOf(core, options.link())),
    rollback: () => rollBack(core),
    close: () => core.close('The command is over.'),
  }
}

async function localOrder(core: AgentCore, attack: LocalAttack): Promise<RunOrder> {
  const { attackType, params } = attack
  const ids = { executionId: randomUUID(), generation: 1, attackId: randomUUID() }
  const order = { ...ids, attackType, params, local: true }
  if (attack.container === undefined) return order
  const state = await core.engine.resolve(attack.container)
  // A name that nobody has is refused by the executor, and recorded like any other attack.
  const container = { id: state?.id ?? attack.container, name: state?.name ?? attack.container }
  return { ...order, container }
}

function statusOf(
  core: AgentCore,
  link: { connected: boolean; address: string; problem: string | undefined } | undefined,
): AgentStatus {
  const { config, engine, executor, journal, probes } = core
  return {
    identifier: config.identifier,
    instanceId: core.instanceId,
    version,
    pid: process.pid,
    controller: link ? { ...link, problem: link.problem ?? null } : null,
    running: executor.list().map(({ order, stage, leftMs }) => ({
      executionId: order.executionId,
      attackId: order.attackId,
      attackType: order.attackType,
      container: order.container?.name ?? null,
      stage,
      secondsLeft: leftMs === undefined ? null : Math.max(0, Math.ceil(leftMs / 1000)),
      local: order.local,
    })),
    capabilities: capabilities({ probes, engine }),
    limits: config.limits,
    containers: engine.containers.length,
    problems: [...(journal.problem ? [journal.problem] : []), ...leftBehindIn(journal)],
  }
}

function leftBehindIn(journal: Journal): string[] {
  const left = journal.entries().filter(isLeftBehind)
  return left.map(({ report }) => report?.message ?? '')
}

async function rollBack({ executor, journal }: AgentCore): Promise<RollbackResult> {
  const running = executor.running.map(({ executionId }) => executionId)
  const open = journal.entries().filter((entry) => entry.state !== 'DONE' || isLeftBehind(entry))
  const concerned = new Set([...running, ...open.map(({ executionId }) => executionId)])
  await executor.endAll('halted', 'Rolled back on the host.')
  await executor.replay()
  return {
    ended: [...concerned],
    leftBehind: leftBehindIn(journal),
  }
}
