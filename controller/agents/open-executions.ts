import type { Stage } from '../../shared/stages.ts'
import type { Store } from '../store/store.ts'
import type { FullOrder } from '../store/waiting-orders.ts'
import { timesOf, timesOfOrder, type ExecutionTimes } from './orders.ts'

interface OpenExecution {
  readonly attackId: string
  readonly times: ExecutionTimes
  stage: Stage | undefined
}

/** What a session has ordered or heard of, and not heard the end of; it is known without storage. */
export class OpenExecutions {
  readonly #store: Pick<Store, 'executions' | 'attacks'>
  readonly #teamId: string
  readonly #known = new Map<string, OpenExecution>()

  constructor(store: Pick<Store, 'executions' | 'attacks'>, teamId: string) {
    this.#store = store
    this.#teamId = teamId
  }

  knownTimesOf(executionId: string): ExecutionTimes | undefined {
    return this.#known.get(executionId)?.times
  }

  /** How long an execution takes; no time at all when it is not known. */
  async timesOf(executionId: string): Promise<ExecutionTimes> {
    const cached = this.knownTimesOf(executionId)
    if (cached) return cached
    const execution = await this.#store.executions.find(this.#teamId, executionId)
    const attack = execution && (await this.#store.attacks.find(this.#teamId, execution.attackId))
    if (!attack) return { lengthMs: 0, settleMs: undefined }
    const times = timesOf(attack, execution)
    this.#known.set(executionId, { attackId: attack.id, times, stage: undefined })
    return times
  }

  /** What was ordered need not be looked up when it is reported. */
  note(order: FullOrder): void {
    const { executionId, attackId } = order
    if (this.#known.has(executionId)) return
    const times = timesOfOrder(order)
    if (times) this.#known.set(executionId, { attackId, times, stage: undefined })
  }

  /** Whether an execution is where it was at the last report. */
  stays(executionId: string, stage: Stage): boolean {
    const known = this.#known.get(executionId)
    if (!known || known.stage === stage) return known !== undefined
    known.stage = stage
    return false
  }

  /** How many they are. */
  get size(): number {
    return this.#known.size
  }

  over(executionId: string): void {
    this.#known.delete(executionId)
  }

  /** Those of an attack, or all. */
  of(attackId?: string): { executionId: string; attackId: string }[] {
    return [...this.#known]
      .filter(([, one]) => attackId === undefined || one.attackId === attackId)
      .map(([executionId, one]) => ({ executionId, attackId: one.attackId }))
  }
}
