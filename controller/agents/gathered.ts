import type { AgentWord, Executions, MoveResult } from '../store/executions.ts'
import type { OrdersOfHost } from '../store/waiting-orders.ts'
import { Batches } from './batches.ts'

/** So many words in one step: Redis needs 20 to 30 µs for each. */
const mostWords = 40
/** Figures of a team that come within this time are written in one step. */
const figuresGatherMs = 50
/** So many hosts are read in one step. */
const mostHosts = 50

/** What a session asks for or says; what nobody waits for any more is not tried again. */
interface OfSession {
  readonly isOver: () => boolean
}

/** What an agent says of its executions. */
export interface GatheredWord extends OfSession {
  readonly word: AgentWord
  /** New figures of the same execution make these needless. */
  readonly isOnlyFigures: boolean
}

/** `superseded`: newer figures came before these were written. */
export type WordResult = MoveResult | 'superseded'

/** A host whose orders are wanted. */
export interface GatheredHost extends OfSession {
  readonly host: string
}

/** The orders of a host, and when they were asked for, by the clock of this process. */
export interface GatheredOrders extends OrdersOfHost {
  readonly askedMs: number
}

/** What the sessions of a team say and ask of its executions, gathered. */
export interface Gathered {
  readonly words: Batches<GatheredWord, WordResult>
  readonly orders: Batches<GatheredHost, GatheredOrders>
}

/** Opens the ways by which sessions write and read executions. */
export function openGathered(executions: Pick<Executions, 'hear' | 'ordersFor'>): Gathered {
  return {
    words: new Batches<GatheredWord, WordResult>({
      most: mostWords,
      gatherMs: figuresGatherMs,
      keyOf: ({ word: { host, epoch, executionId }, isOnlyFigures }) =>
        isOnlyFigures ? `${executionId} ${epoch} ${host}` : undefined,
      superseded: 'superseded',
      isOver,
      take: (teamId, items) =>
        executions.hear(
          teamId,
          items.map(({ word }) => word),
        ),
    }),
    orders: new Batches<GatheredHost, GatheredOrders>({
      most: mostHosts,
      gatherMs: 0,
      isOver,
      async take(teamId, items) {
        const askedMs = performance.now()
        const hosts = items.map(({ host }) => host)
        const found = await executions.ordersFor(teamId, hosts)
        return found.map((orders) => ({ askedMs, ...orders }))
      },
    }),
  }
}

function isOver(one: OfSession): boolean {
  return one.isOver()
}
