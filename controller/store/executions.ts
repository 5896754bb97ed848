import type { Effect } from '../../shared/effect.ts'
import {
  allowedFrom,
  endReasons,
  isTerminal,
  type EndReason,
  type Stage,
} from '../../shared/stages.ts'
import {
  briefFields,
  toBrief,
  toExecution,
  type ExecutionBrief,
  type ExecutionRecord,
} from './execution-record.ts'
import { isId, keys } from './keys.ts'
import { readInSlices } from './read-in-slices.ts'
import { loadScript, redisNowMs, type Redis } from './redis.ts'
import { readOrders, type OrdersOfHost, type WaitingOrder } from './waiting-orders.ts'

export type { ExecutionRecord } from './execution-record.ts'

const hear = loadScript('hear-agents')
const giveUp = loadScript('give-up-execution')

/** A report of an agent about one of its executions. */
export interface ExecutionReport extends HostSession {
  readonly executionId: string
  readonly seq: number
  readonly stage: Stage
  readonly reason: EndReason | undefined
  readonly message: string
  readonly ageMs: number
  readonly requested: Effect | undefined
  readonly measured: Effect | undefined
  readonly backend: string
  readonly clientVersion: string
  /** When it counts as lost if nothing more is heard, ms from now. */
  readonly lostInMs: number
}

/** What an agent says of its executions: where one stands, or that an order is in its journal. */
export type AgentWord =
  | ({ readonly kind: 'report' } & ExecutionReport)
  | ({ readonly kind: 'order' } & HostSession & WaitingOrder)

/**
 * `foreign`: another host's execution; `unknown`: there is no execution, or no order, of this id; `outdated`: the
 * session is not the host's own any more, and the agent says it again over the one that is.
 */
export type MoveResult =
  | 'moved'
  | 'figures'
  | 'ignored'
  | 'repeated'
  | 'unknown'
  | 'foreign'
  | 'outdated'

/** A session of a host: of several, only the newest counts. */
export interface HostSession {
  readonly host: string
  readonly epoch: number
}

/** The executions of a team's attacks, and the orders that wait for their hosts. */
export interface Executions {
  find(teamId: string, executionId: string): Promise<ExecutionRecord | undefined>
  ofAttacks(teamId: string, attackIds: readonly string[]): Promise<ExecutionRecord[][]>
  /** The same with only what an attack is told from. */
  briefOfAttacks(teamId: string, attackIds: readonly string[]): Promise<ExecutionBrief[][]>
  /** Applies what agents say, all in one step and each as if it came alone; gives the results in their order. */
  hear(teamId: string, words: readonly AgentWord[]): Promise<MoveResult[]>
  waitingOrders(teamId: string, host: string): Promise<WaitingOrder[]>
  /** The orders that each of these hosts can be given now; when they are many, those of the first hosts only. */
  ordersFor(teamId: string, hosts: readonly string[]): Promise<OrdersOfHost[]>
  /** Executions of a host that are not over. */
  openOn(teamId: string, host: string): Promise<ExecutionRecord[]>
  /** Executions past their due time. */
  overdue(teamId: string): Promise<ExecutionRecord[]>
  /** Ends an overdue execution; false when it has been heard of meanwhile. */
  giveUp(teamId: string, execution: ExecutionRecord, verdict: Verdict): Promise<boolean>
  /**
   * Ends an execution of which no more will be heard, and takes its order back. What a session concludes holds
   * only while that is the host's own.
   */
  end(
    teamId: string,
    execution: ExecutionRecord,
    why: { reason: 'agent_restarted' | 'host_revoked'; message: string; epoch?: number },
  ): Promise<void>
  /** What was measured while it ran, in order. */
  series(teamId: string, executionId: string): Promise<SeriesPoint[]>
  /** The clock that the team's attacks are judged by, epoch ms. */
  nowMs(teamId: string): Promise<number>
}

/** What silence until the due time means. */
export interface Verdict {
  readonly reason: 'agent_silent' | 'completed'
  readonly message: string
}

export interface SeriesPoint {
  readonly atMs: number
  readonly value: number
}

/** At most so many executions are given up in one sweep of a team. */
const sweepLimit = 200

/** Opens the store of executions. */
export function openExecutions(redis: Redis): Executions {
  const readMany = (teamId: string, ids: readonly string[]) => readExecutions(redis, teamId, ids)
  return {
    find: async (teamId, id) => (await readMany(teamId, [id]))[0],
    async ofAttacks(teamId, attackIds) {
      const lists = await readIds(redis, teamId, attackIds)
      const byId = new Map((await readMany(teamId, lists.flat())).map((e) => [e.id, e]))
      return lists.map((ids) => ids.flatMap((id) => byId.get(id) ?? []))
    },
    briefOfAttacks: (teamId, attackIds) => readBriefs(redis, teamId, attackIds),
    hear: (teamId, words) => hearAgents(redis, teamId, words),
    async waitingOrders(teamId, host) {
      const outbox = await redis.hgetall(keys.outbox(teamId, host))
      return Object.entries(outbox).map(([executionId, generation]) => ({
        executionId,
        generation: Number(generation),
      }))
    },
    ordersFor: (teamId, hosts) => readOrders(redis, teamId, hosts),
    async openOn(teamId, host) {
      const ids = await redis.smembers(keys.openExecutions(teamId, host))
      return await readMany(teamId, ids)
    },
    async overdue(teamId) {
      const now = await redisNowMs(redis, keys.due(teamId))
      const ids = await redis.zrangebyscore(keys.due(teamId), 0, now, 'LIMIT', 0, sweepLimit)
      return ids.length === 0 ? [] : await readMany(teamId, ids)
    },
    giveUp: (teamId, execution, verdict) => giveUpExecution(redis, teamId, execution, verdict),
    end: (teamId, execution, why) => endExecution(redis, teamId, execution, why),
    async series(teamId, executionId) {
      const points = await redis.lrange(keys.series(teamId, executionId), 0, -1)
      return points.map((point) => {
        const [at = '', value = ''] = point.split('@')
        return { atMs: Number(at), value: Number(value) }
      })
    },
    nowMs: (teamId) => redisNowMs(redis, keys.due(teamId)),
  }
}

async function readExecutions(
  redis: Redis,
  teamId: string,
  ids: readonly string[],
): Promise<ExecutionRecord[]> {
  const records = await readInSlices(redis, ids.filter(isId), (pipeline, id) =>
    pipeline.hgetall(keys.execution(teamId, id)),
  )
  return records.flatMap((record) => toExecution(record as Record<string, string>) ?? [])
}

/** The ids of the executions of each of these attacks. */
async function readIds(
  redis: Redis,
  teamId: string,
  attackIds: readonly string[],
): Promise<string[][]> {
  const lists = await readInSlices(redis, attackIds, (pipeline, id) =>
    pipeline.lrange(keys.attackExecutions(teamId, id), 0, -1),
  )
  return lists as string[][]
}

async function readBriefs(
  redis: Redis,
  teamId: string,
  attackIds: readonly string[],
): Promise<ExecutionBrief[][]> {
  const lists = await readIds(redis, teamId, attackIds)
  const answers = await readInSlices(redis, lists.flat(), (pipeline, id) =>
    pipeline.hmget(keys.execution(teamId, id), ...briefFields),
  )
  let at = 0
  return lists.map((ids) => ids.flatMap(() => toBrief(answers[at++] as (string | null)[]) ?? []))
}

async function hearAgents(
  redis: Redis,
  teamId: string,
  words: readonly AgentWord[],
): Promise<MoveResult[]> {
  const known = words.filter(({ executionId }) => isId(executionId))
  const args = known.map((word) => (word.kind === 'order' ? orderArgs(word) : reportArgs(word)))
  const results = known.length > 0 ? await runHear(redis, teamId, args) : []
  let at = 0
  return words.map(
    ({ executionId }) => (isId(executionId) ? results[at++] : undefined) ?? 'unknown',
  )
}

type WordArgs = readonly (string | number)[]

async function runHear(
  redis: Redis,
  teamId: string,
  words: readonly WordArgs[],
): Promise<MoveResult[]> {
  const prefixes = [
    keys.executionPrefix(teamId),
    keys.attackPrefix(teamId),
    keys.hostPrefix(teamId),
    keys.outboxPrefix(teamId),
    keys.openPrefix(teamId),
  ]
  return (await hear.run(
    redis,
    [keys.due(teamId), keys.events(teamId), keys.activeAttacks(teamId)],
    [...prefixes, ...words.flat()],
  )) as MoveResult[]
}

function orderArgs(order: HostSession & WaitingOrder): WordArgs {
  const { host, epoch, executionId, generation } = order
  return ['order', host, epoch, executionId, generation, '', '', 0, 0, '', '', '[]']
}

function reportArgs(report: ExecutionReport): WordArgs {
  const fields: Record<string, string> = {
    client_version: report.clientVersion,
    ...(report.reason ? { reason: report.reason } : {}),
    ...(report.message ? { output: report.message } : {}),
    ...(report.requested ? { requested: JSON.stringify(report.requested) } : {}),
    ...(report.measured ? { measured: JSON.stringify(report.measured) } : {}),
    ...(report.backend ? { backend: report.backend } : {}),
  }
  return [
    'report',
    report.host,
    report.epoch,
    report.executionId,
    report.seq,
    report.stage,
    allowedFrom(report.stage).join(),
    isTerminal(report.stage) ? 1 : 0,
    Math.round(report.ageMs),
    Math.round(report.lostInMs),
    report.measured?.value ?? '',
    JSON.stringify(Object.entries(fields).flat()),
  ]
}

async function giveUpExecution(
  redis: Redis,
  teamId: string,
  execution: ExecutionRecord,
  { reason, message }: Verdict,
): Promise<boolean> {
  const stage = endReasons[reason]
  const { id, host } = execution
  const done = await giveUp.run(
    redis,
    [
      keys.execution(teamId, id),
      keys.due(teamId),
      keys.openExecutions(teamId, host),
      keys.events(teamId),
      keys.activeAttacks(teamId),
      keys.outbox(teamId, host),
    ],
    [id, stage, reason, message, allowedFrom(stage).join(), keys.attackPrefix(teamId)],
  )
  return done === 1
}

async function endExecution(
  redis: Redis,
  teamId: string,
  { id, host }: ExecutionRecord,
  { reason, message, epoch }: { reason: EndReason; message: string; epoch?: number },
): Promise<void> {
  const stage = endReasons[reason]
  const from = allowedFrom(stage).join()
  const fields = JSON.stringify(['reason', reason, 'output', message])
  await runHear(redis, teamId, [
    ['end', host, epoch ?? '', id, 0, stage, from, 1, 0, '', '', fields],
  ])
}
