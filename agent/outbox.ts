import type { ExecutionUpdate } from './execution-update.ts'
import { isTerminal } from '../shared/stages.ts'

/**
 * Updates that the controller has not acknowledged, in order. Terminal ones are in the journal as
 * well; the rest need not survive this process.
 */
export class Outbox {
  readonly #waiting = new Map<string, ExecutionUpdate[]>()

  /** Adds an update, unless it is there. Of figures in one stage only the newest are kept. */
  add(update: ExecutionUpdate): void {
    const list = this.#waiting.get(update.executionId) ?? []
    if (list.some(({ seq }) => seq === update.seq)) return
    const last = list.at(-1)
    if (last && isOnlyFigures(last, update)) list.pop()
    this.#waiting.set(update.executionId, [...list, update])
  }

  /** Drops what is acknowledged. */
  acknowledge(executionId: string, seq: number): void {
    const left = this.#waiting.get(executionId)?.filter((update) => update.seq > seq) ?? []
    if (left.length > 0) this.#waiting.set(executionId, left)
    else this.#waiting.delete(executionId)
  }

  /** Everything that waits, the oldest of each execution first. */
  waiting(): ExecutionUpdate[] {
    return [...this.#waiting.values()].flat()
  }

  /** Whether the end of some execution has not been acknowledged. */
  get hasEnds(): boolean {
    return this.waiting().some(({ stage }) => isTerminal(stage))
  }
}

function isOnlyFigures(last: ExecutionUpdate, next: ExecutionUpdate): boolean {
  return last.stage === next.stage && last.measured !== undefined && next.measured !== undefined
}
