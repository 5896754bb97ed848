import { readOrder } from '../../agent/orders.ts'
import type { ExecutionUpdate } from '../../agent/execution-update.ts'
import { FiguresClock } from '../../agent/figures-clock.ts'
import { Outbox } from '../../agent/outbox.ts'
import type { ExecutionRef } from '../../proto/gen/temblor/agent/v1/ExecutionRef.ts'
import type { Halt__Output } from '../../proto/gen/temblor/agent/v1/Halt.ts'
import type { Run__Output } from '../../proto/gen/temblor/agent/v1/Run.ts'
import { plainEnds } from '../../shared/attack-words.ts'
import { findAttackType } from '../../shared/attacks/index.ts'
import type { Effect } from '../../shared/effect.ts'
import { endReasons, type EndReason, type Stage } from '../../shared/stages.ts'

/** Ends that the controller has acknowledged and that are remembered all the same. */
const rememberedEnds = 100

const virtualHost = { cores: 4 }

interface Entry {
  readonly executionId: string
  readonly attackId: string
  readonly generation: number
  readonly requested: Effect | undefined
  seq: number
  end: EndReason | undefined
  acknowledged: boolean
  timers: NodeJS.Timeout[]
}

/**
 * What an agent does with its orders, without a fault: the journal in memory, the stages and figures
 * that a real agent reports, and the end in time.
 */
export class VirtualExecutions {
  readonly outbox = new Outbox()
  readonly #entries = new Map<string, Entry>()
  readonly #report: (update: ExecutionUpdate) => void
  /** How often figures of what runs are sent; 0 for never. */
  readonly #figuresMs: number
  #wantedMs = 0

  constructor(report: (update: ExecutionUpdate) => void, figuresMs: number) {
    this.#figuresMs = figuresMs
    this.#report = (update) => {
      this.outbox.add(update)
      report(update)
    }
  }

  /** What is not over. */
  get running(): ExecutionRef[] {
    return this.#references((entry) => entry.end === undefined)
  }

  /** What is not over and acknowledged. */
  get known(): ExecutionRef[] {
    return this.#references((entry) => !entry.acknowledged)
  }

  /** The controller wants figures this often. */
  pace(everyMs: number): void {
    this.#wantedMs = everyMs
  }

  /** Starts what was ordered; what is known or was halted never starts again. */
  run(run: Run__Output, isTooLate: boolean): void {
    if (this.#isAnswered(run.executionId)) return
    const { attackType, params } = readOrder(run)
    const type = findAttackType(attackType)
    const requested = type?.requested(params as never, virtualHost)
    const entry = this.#create(run, requested)
    if (isTooLate)
      return this.#end(entry, 'expired_before_start', 'The order arrived too late to start.')
    this.#emit(entry, 'Initializing')
    if (!type) return this.#end(entry, 'invalid_argument', `No attack is called ${attackType}.`)
    this.#emit(entry, 'Running')
    const lengthMs = type.lengthSeconds(params as never) * 1000
    const finish = () => this.#end(entry, 'completed', plainEnds.completed)
    entry.timers.push(setTimeout(finish, lengthMs))
    if (this.#figuresMs === 0 || lengthMs <= this.#figuresMs) return
    const clock = new FiguresClock()
    const measure = () => {
      if (clock.isDue(performance.now(), this.#wantedMs)) this.#emit(entry, 'Running')
    }
    entry.timers.push(setInterval(measure, this.#figuresMs))
  }

  /** Ends it; an unknown one leaves a tombstone, so that a late order is not carried out. */
  halt(halt: Halt__Output): void {
    const entry = this.#entries.get(halt.executionId)
    if (entry && entry.end === undefined) return this.#end(entry, 'halted', plainEnds.halted)
    if (this.#isAnswered(halt.executionId)) return
    this.#end(this.#create(halt, undefined), 'halted', 'Halted before it started.')
  }

  /** The controller knows everything up to this update. */
  acknowledge(executionId: string, seq: number): void {
    this.outbox.acknowledge(executionId, seq)
    const entry = this.#entries.get(executionId)
    if (!entry || entry.end === undefined || seq < entry.seq) return
    entry.acknowledged = true
    if (this.#entries.size <= rememberedEnds) return
    const oldest = [...this.#entries.values()].find(({ acknowledged }) => acknowledged)
    if (oldest) this.#entries.delete(oldest.executionId)
  }

  /** Ends everything that runs. */
  endAll(reason: EndReason, message: string): void {
    for (const entry of this.#entries.values())
      if (entry.end === undefined) this.#end(entry, reason, message)
  }

  #references(which: (entry: Entry) => boolean): ExecutionRef[] {
    return [...this.#entries.values()].filter(which).map(({ executionId, generation }) => ({
      executionId,
      generation,
    }))
  }

  /** A repeated command is answered with where its execution stands. */
  #isAnswered(executionId: string): boolean {
    const known = this.#entries.get(executionId)
    if (known) this.#publish(known, known.end ? endReasons[known.end] : 'Running', '')
    return known !== undefined
  }

  #create(order: Halt__Output | Run__Output, requested: Effect | undefined): Entry {
    const { executionId, attackId, generation } = order
    const about = { executionId, attackId, generation, requested }
    const entry: Entry = { ...about, seq: 0, end: undefined, acknowledged: false, timers: [] }
    this.#entries.set(executionId, entry)
    return entry
  }

  #end(entry: Entry, reason: EndReason, message: string): void {
    for (const timer of entry.timers) clearInterval(timer)
    entry.timers = []
    const hasStarted = entry.seq > 0
    if (reason === 'halted' && hasStarted)
      for (const stage of ['InterruptTriggered', 'RollbackTriggered', 'RollbackStarted'] as const)
        this.#emit(entry, stage)
    else if (hasStarted) this.#emit(entry, 'TearingDown')
    entry.end = reason
    entry.seq += 1
    this.#publish(entry, endReasons[reason], message)
  }

  #emit(entry: Entry, stage: Stage): void {
    entry.seq += 1
    this.#publish(entry, stage, '')
  }

  #publish({ seq, requested, end, ...entry }: Entry, stage: Stage, message: string): void {
    const { executionId, generation } = entry
    const isMeasured = requested && (stage === 'Running' || end === 'completed')
    this.#report({
      executionId,
      generation,
      local: false,
      seq,
      stage,
      message,
      atMs: performance.now(),
      ...(end ? { reason: end } : {}),
      ...(requested ? { requested, backend: 'virtual' } : {}),
      ...(isMeasured ? { measured: requested } : {}),
    })
  }
}
