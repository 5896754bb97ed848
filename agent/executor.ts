import { plainEnds } from '../shared/attack-words.ts'
import { endReasons, type EndReason, type Stage } from '../shared/stages.ts'
import { Execution, type ExecutionDeps } from './execution.ts'
import type { ExecutionUpdate, RunOrder } from './execution-update.ts'
import type { AttackParams, AttackTypeName } from '../shared/attacks/index.ts'
import {
  isLeftBehind,
  JournalError,
  type Durability,
  type JournalEntry,
  type Report,
} from './journal.ts'
import { takeBack } from './take-back.ts'

/** After a restart updates count on from here: far above what was sent before. */
const seqAfterRestart = 100_000_000

/** How often an agent looks whether its host goes down after all, and tries to take back what is left behind. */
const lookAgainMs = 5000

interface Running {
  readonly execution: Execution
  readonly over: Promise<void>
  /** Over, or not to be seen by this process. */
  readonly settled: Promise<void>
  readonly containerId: string | undefined
}

type ExecutorDeps = Omit<ExecutionDeps, 'otherContainers' | 'controllerBootId' | 'figuresMs'>

/** The agent is ending and takes no more orders. */
export class ClosingError extends Error {
  override readonly name = 'ClosingError'
}

/**
 * Owns every start, timer and stop of faults on this host. What it accepted is in the journal before
 * it answers, and everything it began it also ends and reports.
 */
export class Executor {
  readonly #deps: ExecutorDeps
  readonly #running = new Map<string, Running>()
  #closing = false
  #controllerBootId: string | undefined
  #figuresMs = 0
  #lookAgain: NodeJS.Timeout | undefined

  constructor(deps: ExecutorDeps) {
    this.#deps = deps
  }

  /** What runs now (or starts, or ends). */
  get running(): RunOrder[] {
    return [...this.#running.values()].map(({ execution }) => execution.order)
  }

  /** What runs now, how far it is, and how long it has left in ms (once it runs). */
  list(): { order: RunOrder; stage: Stage; leftMs: number | undefined }[] {
    return [...this.#running.values()].map(({ execution }) => ({
      order: execution.order,
      stage: execution.last?.stage ?? 'Initializing',
      leftMs: execution.deadlineMs && execution.deadlineMs - performance.now(),
    }))
  }

  /**
   * Accepts an order; it is on disk when this resolves and starts by itself. A repeated order is
   * answered with where it stands; one for a halted or finished execution never starts, and none does
   * that cannot be put on disk.
   * @throws ClosingError while the agent ends
   */
  async run(order: RunOrder): Promise<void> {
    const known = this.#deps.journal.get(order.executionId)
    if (known && known.generation >= order.generation) return this.#answer(known)
    if (this.#closing) throw new ClosingError('The agent is stopping.')
    const older = this.#running.get(order.executionId)
    if (older) {
      older.execution.end('superseded', 'A newer command replaced it.')
      await older.over
      return this.run(order)
    }
    try {
      this.#record(order, 'RECEIVED', 'now')
    } catch (error) {
      if (!(error instanceof JournalError)) throw error
      return this.refuse(order, 'start_failed', `It was not begun. ${error.message}`)
    }
    this.#start(order)
  }

  /** Records an order that must not run, as soon as that can be, and reports why. */
  refuse(order: RunOrder, reason: EndReason, message: string): void {
    const known = this.#deps.journal.get(order.executionId)
    if (known && known.generation >= order.generation) return this.#answer(known)
    this.#record(order, 'DONE', 'soon', { reason, message, seq: 1 })
    this.#report(order.executionId)
  }

  /** Halts an execution. Unknown ones leave a tombstone, so that a late order is not carried out. */
  halt(executionId: string, generation: number, attackId: string): void {
    const running = this.#running.get(executionId)
    if (running) return running.execution.end('halted', plainEnds.halted)
    const known = this.#deps.journal.get(executionId)
    if (known) return this.#answer(known)
    const order = { executionId, generation, attackId, attackType: '', params: {}, local: false }
    this.refuse(order, 'halted', 'Halted before it started.')
  }

  /** Ends everything that `which` picks; resolves when it is gone and reported. */
  async endAll(
    reason: EndReason,
    message: string,
    which: (order: RunOrder) => boolean = () => true,
  ): Promise<void> {
    const ending = [...this.#running.values()].filter(({ execution }) => which(execution.order))
    for (const { execution } of ending) execution.end(reason, message)
    await Promise.all(ending.map(({ settled }) => settled))
  }

  /** The controller wants figures this often, ms; 0 is as often as there are any. */
  paceFigures(everyMs: number): void {
    this.#figuresMs = everyMs
  }

  /** The controller runs in this boot of its host. */
  meetController(bootId: string): void {
    this.#controllerBootId = bootId || undefined
  }

  /** Takes no more orders, ends everything and waits for it. */
  async close(message: string): Promise<void> {
    this.#closing = true
    clearTimeout(this.#lookAgain)
    await this.endAll('agent_stopped', message)
  }

  /**
   * Takes back whatever an earlier process left, and reports it and what was not yet delivered.
   * @returns the executions that were open
   */
  async replay(): Promise<string[]> {
    const recovered: string[] = []
    this.#deps.journal.prune()
    for (const { executionId } of this.#deps.journal.entries()) {
      // What runs may end by itself while something else is taken back.
      const entry = this.#notRunning(executionId)
      if (!entry) continue
      if (await this.#takeUp(entry)) recovered.push(executionId)
    }
    return recovered
  }

  /** @returns whether it was open and is not any more */
  async #takeUp(entry: JournalEntry): Promise<boolean> {
    if (entry.state === 'STRIKING') return this.#recoverStrike(entry)
    if (entry.state !== 'DONE') await this.#recover(entry)
    else if (!entry.acknowledged) this.#report(entry.executionId)
    if (!isLeftBehind(entry)) return entry.state !== 'DONE'
    await this.#takeBackAgain(entry)
    return true
  }

  #notRunning(executionId: string): JournalEntry | undefined {
    return this.#running.has(executionId) ? undefined : this.#deps.journal.get(executionId)
  }

  /** The controller knows how this execution ended. */
  acknowledge(executionId: string, seq: number): void {
    this.#running.get(executionId)?.execution.acknowledge(seq)
    const entry = this.#deps.journal.get(executionId)
    if (!entry?.report || entry.acknowledged || seq < entry.report.seq) return
    this.#deps.journal.update(executionId, { acknowledged: true }, 'soon')
    this.#deps.journal.prune()
  }

  /** Resolves with the report when the execution is over, or takes the host and this process down. */
  async ended(executionId: string): Promise<Report | undefined> {
    const running = this.#running.get(executionId)
    await running?.settled
    const { report, state } = this.#deps.journal.get(executionId) ?? {}
    if (state !== 'STRIKING') return report
    const seq = running?.execution.last?.seq ?? 0
    return { reason: 'completed', message: 'The host is going down.', seq }
  }

  #start(order: RunOrder): void {
    const execution = new Execution(order, {
      ...this.#deps,
      otherContainers: (executionId) => this.#containersBeside(executionId),
      controllerBootId: () => this.#controllerBootId,
      figuresMs: () => this.#figuresMs,
    })
    const over = execution.live().finally(() => {
      this.#running.delete(order.executionId)
      const entry = this.#deps.journal.get(order.executionId)
      if (entry && isLeftBehind(entry)) this.#lookAgainSoon()
    })
    const settled = Promise.race([over, execution.goingDown])
    const containerId = order.container?.id
    this.#running.set(order.executionId, { execution, over, settled, containerId })
  }

  #containersBeside(executionId: string): Set<string> {
    const others = [...this.#running.values()].filter(
      ({ execution }) => execution.order.executionId !== executionId,
    )
    return new Set(others.map(({ containerId }) => containerId).filter((id) => id !== undefined))
  }

  #record(order: RunOrder, state: 'RECEIVED' | 'DONE', when: Durability, report?: Report): void {
    const { container, ...rest } = order
    const entry = {
      ...rest,
      params: order.params as AttackParams,
      bootId: this.#deps.bootId,
      state,
      ...(container ? { container: { id: container.id, name: container.name } } : {}),
      ...(report ? { report } : {}),
    }
    this.#deps.journal.create(entry, when)
  }

  /** Answers a repeated command with what is known; nothing happens twice. */
  #answer(known: JournalEntry): void {
    if (known.state === 'DONE') return this.#report(known.executionId)
    const last = this.#running.get(known.executionId)?.execution.last
    if (last) this.#deps.onUpdate(last)
  }

  /** A fault of an earlier process: burners have ended themselves by now, but that is verified. */
  async #recover(entry: JournalEntry): Promise<void> {
    const rebooted = entry.bootId !== this.#deps.bootId
    let reason: EndReason = 'agent_restarted'
    let message = rebooted
      ? 'The host was restarted during the attack; nothing of it is left.'
      : 'The agent was restarted during the attack; what was left of it has been taken back.'
    const left = await takeBack(this.#faultOf(entry), entry.undo)
    if (left) [reason, message] = ['left_behind', left]
    this.#conclude(entry, { reason, message })
    if (left) this.#lookAgainSoon()
  }

  /** What could not be taken back when it ended. Its report stands: whoever was told of it knows the worst. */
  async #takeBackAgain(entry: JournalEntry): Promise<void> {
    const left = await takeBack(this.#faultOf(entry), entry.undo)
    const now = this.#notRunning(entry.executionId)
    if (left) this.#lookAgainSoon()
    else if (now && isLeftBehind(now))
      this.#deps.journal.update(entry.executionId, { undo: [] }, 'soon')
  }

  #faultOf({ attackType }: JournalEntry) {
    return this.#deps.faults[attackType.toLowerCase() as AttackTypeName]
  }

  /** What an earlier process did that may have ended it. @returns whether that is known already */
  async #recoverStrike(entry: JournalEntry): Promise<boolean> {
    const outcome = await this.#faultOf(entry).afterStrike?.({
      params: entry.params,
      targetKind: entry.container ? 'Container' : 'Host',
      bootIdBefore: entry.bootId,
      bootIdNow: this.#deps.bootId,
      atMs: entry.changedAtMs,
    })
    if (outcome) this.#conclude(entry, outcome)
    else this.#lookAgainSoon()
    return outcome !== undefined
  }

  /** One timer for all strikes of which it is not known yet what became of them, and for what is left behind. */
  #lookAgainSoon(): void {
    this.#lookAgain ??= setTimeout(() => {
      this.#lookAgain = undefined
      if (!this.#closing) void this.replay()
    }, lookAgainMs).unref()
  }

  #conclude(entry: JournalEntry, how: Pick<Report, 'reason' | 'message' | 'measured'>): void {
    const { requested, backend, executionId, generation } = entry
    const now = this.#notRunning(executionId)
    // It was concluded, or a newer order has come, while this one was taken back.
    if (!now || now.state === 'DONE' || now.generation !== generation) return
    const report = {
      ...how,
      seq: seqAfterRestart,
      ...(requested ? { requested } : {}),
      ...(backend ? { backend } : {}),
    }
    this.#deps.journal.update(executionId, { state: 'DONE', report }, 'soon')
    this.#report(executionId)
  }

  #report(executionId: string): void {
    const entry = this.#deps.journal.get(executionId)
    if (!entry?.report) return
    const ageMs = Math.max(0, Date.now() - entry.changedAtMs)
    const update: ExecutionUpdate = {
      ...entry.report,
      executionId,
      generation: entry.generation,
      local: entry.local,
      stage: endReasons[entry.report.reason],
      atMs: performance.now() - ageMs,
    }
    this.#deps.onUpdate(update)
  }
}
