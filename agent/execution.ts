import { setTimeout as sleep } from 'node:timers/promises'
import type { AttackTypeName } from '../shared/attacks/index.ts'
import { plainEnds } from '../shared/attack-words.ts'
import type { Effect } from '../shared/effect.ts'
import { endReasons, type EndReason, type Stage } from '../shared/stages.ts'
import { admit, endOf, type AdmissionDeps, type Ending, type Plan } from './admission.ts'
import { ContainerFollower } from './containers/follower.ts'
import { takeBack } from './take-back.ts'
import type { ExecutionUpdate, RunOrder } from './execution-update.ts'
import {
  nothingSeen,
  type FaultContext,
  type FaultDeath,
  type FaultHandle,
  type FaultTarget,
  type Measurement,
  type StrikeOutcome,
  type UndoRecord,
} from './faults/fault.ts'
import { callAt } from './host/long-timer.ts'
import { isAlive } from './host/processes.ts'
import { SleepWatch } from './host/sleep-watch.ts'
import type { Journal } from './journal.ts'
import { FiguresClock, figuresTickMs } from './figures-clock.ts'
import { totalEffect } from './measured-total.ts'

export interface ExecutionDeps extends AdmissionDeps {
  readonly journal: Journal
  readonly instanceId: string
  readonly controlPlane: FaultContext['controlPlane']
  readonly onUpdate: (update: ExecutionUpdate) => void
  /** How often the controller wants figures. */
  readonly figuresMs: () => number
  /** Another clock that counts sleep than the machine's own. */
  readonly sinceBootMs?: () => number
}

/** A timer this late means that the process did not run: it was frozen. */
const frozenMs = 10_000

/** A machine that was suspended for longer, in all, was away from what it was asked to do. */
const longestSleepMs = 2000

/** A host that goes down waits so long for the controller to have heard of it. */
const farewellMs = 2000

/** One execution from its start to its verified end. The first end wins; later ones are ignored. */
export class Execution {
  readonly order: RunOrder
  readonly #deps: ExecutionDeps
  readonly #ending = Promise.withResolvers<Ending>()
  readonly #abort = new AbortController()
  readonly #notes: string[] = []
  /** Some incarnation of the target did. */
  #sawTraffic = false
  readonly #measurements: Measurement[] = []
  readonly #lengthOver = Promise.withResolvers<void>()
  readonly #goingDown = Promise.withResolvers<void>()
  /** What the controller should have heard of before the host goes down. */
  readonly #farewell = { seq: Infinity, heard: Promise.withResolvers<void>() }
  readonly #sleep: SleepWatch
  #isStriking = false
  #struck: Effect | undefined
  #end: Ending | undefined
  #seq = 0
  #last: ExecutionUpdate | undefined
  #deadlineMs: number | undefined
  #handle: FaultHandle | undefined
  /** What takes the newest incarnation of the fault back. */
  #undo: readonly UndoRecord[] = []
  #follower: ContainerFollower | undefined
  #requested: Effect | undefined
  #backend: string | undefined

  constructor(order: RunOrder, deps: ExecutionDeps) {
    this.order = order
    this.#deps = deps
    this.#sleep = new SleepWatch(deps.sinceBootMs)
  }

  /** The newest update, to answer a repeated command with. */
  get last(): ExecutionUpdate | undefined {
    return this.#last
  }

  /** Monotonic ms at which it ends; undefined until it runs. */
  get deadlineMs(): number | undefined {
    return this.#deadlineMs
  }

  /** Resolves when the host goes down: this process will not see the end of the execution. */
  get goingDown(): Promise<void> {
    return this.#goingDown.promise
  }

  /** The controller has heard of everything up to this update. */
  acknowledge(seq: number): void {
    if (seq >= this.#farewell.seq) this.#farewell.heard.resolve()
  }

  /**
   * Ends it, now or as soon as the step that is under way allows. What cannot be taken back is not
   * ended any more.
   */
  end(reason: EndReason, message: string): void {
    if (this.#end || this.#isStriking) return
    this.#end = { reason, message }
    this.#abort.abort()
    this.#ending.resolve(this.#end)
  }

  /** Lives its life; resolves when the fault is gone and reported. Never rejects. */
  async live(): Promise<void> {
    this.#emit('Initializing', '')
    try {
      const plan = await admit(this.order, this.#deps)
      this.#follow(plan)
      await this.#carryOut(plan)
    } catch (error) {
      const { reason, message } = endOf(error)
      this.end(reason, message)
    }
    await this.#finish()
  }

  #follow({ container }: Plan): void {
    if (!container) return
    const onPause = () => this.#note('The container was paused for a time during the attack.')
    this.#follower = new ContainerFollower(container, this.#deps.containers, onPause)
  }

  async #carryOut(plan: Plan): Promise<void> {
    const lengthMs = plan.type.lengthSeconds(plan.params as never) * 1000
    let target: FaultTarget | undefined = plan.target
    while (target && !this.#end) {
      const remainingMs: number =
        this.#deadlineMs === undefined ? lengthMs : this.#deadlineMs - performance.now()
      const death = await this.#incarnate(plan, target, remainingMs)
      if (!death || this.#end) return
      target = await this.#afterDeath(death, target)
    }
  }

  /** Brings the fault about on one incarnation of the target and stays until either is over. */
  async #incarnate(
    plan: Plan,
    target: FaultTarget,
    remainingMs: number,
  ): Promise<FaultDeath | undefined> {
    try {
      this.#handle = await this.#bringAbout(plan, target, remainingMs)
    } catch (error) {
      const following = this.#deadlineMs !== undefined && target.kind === 'Container'
      if (following && !isAlive(target.init)) return { cause: 'target', message: 'stopped again' }
      throw error
    }
    this.#startClock(remainingMs)
    if (this.#end) return undefined
    this.#deps.journal.update(this.order.executionId, { state: 'ACTIVE' }, 'soon')
    const death = await this.#stay(plan, this.#handle)
    this.#handle = undefined
    return death
  }

  async #bringAbout(plan: Plan, target: FaultTarget, remainingMs: number): Promise<FaultHandle> {
    const { executionId, attackId } = this.order
    const { instanceId, journal, controlPlane } = this.#deps
    const { signal } = this.#abort
    const about = { instanceId, executionId, attackId, controlPlane }
    const context: FaultContext = { ...about, remainingMs, signal }
    const prepared = await plan.fault.prepare(plan.params, target, context)
    const { requested, backend, undo } = prepared
    this.#requested = requested
    this.#backend = backend
    // Looking at the target may have taken a helper process.
    this.#undo = undo
    const seen = target.kind === 'Container' ? { target } : {}
    journal.update(executionId, { state: 'APPLYING', undo, requested, backend, ...seen })
    return prepared.start()
  }

  /** Stays until the fault or the execution is over, and takes the fault away. */
  async #stay(plan: Plan, handle: FaultHandle): Promise<FaultDeath | undefined> {
    this.#emit('Running', handle.announcement ?? this.#notes.at(-1) ?? '')
    const death = await this.#whileRunning(handle)
    if (handle.strike && !death && !this.#end) await this.#strike(plan, handle)
    // Some is known only while the fault is there, some only when it is gone.
    const before = handle.measure()
    await handle.stop()
    const last = handle.measure() ?? before
    if (last) this.#measurements.push(last)
    const notes = handle.notes?.() ?? []
    this.#sawTraffic ||= !notes.includes(nothingSeen)
    for (const note of notes) this.#note(note)
    return death
  }

  /** The attack's length counts from the first moment that the fault is there. */
  #startClock(lengthMs: number): void {
    if (this.#deadlineMs !== undefined) return
    this.#deadlineMs = performance.now() + lengthMs
    const cancel = callAt(this.#deadlineMs, (lateMs) => void this.#onDeadline(lateMs))
    void this.#ending.promise.then(cancel)
  }

  /** Ends it when the machine was suspended: the time that it was asked for has gone by. */
  #endAfterSleep(): void {
    const sleptMs = this.#sleep.sleptMs()
    if (sleptMs > longestSleepMs) this.end('agent_frozen', sleptMessage(sleptMs))
  }

  async #onDeadline(lateMs: number): Promise<void> {
    this.#endAfterSleep()
    if (this.#follower?.waiting)
      return this.end('target_gone', 'The container stopped and did not come back before the end.')
    if (this.#handle?.strike) {
      if (lateMs > frozenMs) return this.end('agent_frozen', lateMessage)
      return this.#lengthOver.resolve()
    }
    if (lateMs > frozenMs) {
      // The process stood still. The fault ended by itself; it knows why.
      const death = await this.#handle?.died
      if (death?.cause === 'silence') return this.end('agent_frozen', frozenMessage)
    }
    this.end('completed', plainEnds.completed)
  }

  async #whileRunning(handle: FaultHandle): Promise<FaultDeath | undefined> {
    let latest: Measurement | undefined
    const clock = new FiguresClock()
    // Who started it on this host sees all of them.
    const everyMs = () => (this.order.local ? figuresTickMs : this.#deps.figuresMs())
    const measure = () => {
      this.#endAfterSleep()
      if (!clock.isDue(performance.now(), everyMs())) return
      const now = handle.measure()
      if (now && now !== latest) this.#emit('Running', '', now.latest)
      latest = now ?? latest
    }
    const timer = setInterval(measure, figuresTickMs)
    const ended = this.#ending.promise.then(() => undefined)
    const death = await Promise.race([handle.died, ended, this.#lengthOver.promise])
    clearInterval(timer)
    return death ?? undefined
  }

  /** Does what cannot be taken back, unless somebody ends it in the last moment. */
  async #strike({ type, params, target }: Plan, handle: FaultHandle): Promise<void> {
    const { journal } = this.#deps
    // On disk before it happens: the next process must know, and never do it again.
    journal.update(this.order.executionId, { state: 'STRIKING' })
    this.#emit('TearingDown', '')
    if (type.goesDown?.(params as never, target.kind)) {
      this.#farewell.seq = this.#seq
      const ended = this.#ending.promise
      await Promise.race([this.#farewell.heard.promise, ended, sleep(farewellMs)])
    }
    this.#endAfterSleep()
    if (this.#end) return
    this.#isStriking = true
    const outcome = await this.#outcomeOf(handle)
    this.#isStriking = false
    this.#struck = outcome.measured
    this.end(outcome.reason, outcome.message)
  }

  async #outcomeOf(handle: FaultHandle): Promise<StrikeOutcome> {
    try {
      const struck = await handle.strike?.()
      if (!struck) return { reason: 'fault_died', message: 'It does not strike.' }
      if (!('survived' in struck)) return struck
      this.#goingDown.resolve()
      return await struck.survived
    } catch (error) {
      return { reason: 'fault_died', message: endOf(error).message }
    }
  }

  /** The target's next incarnation, or undefined when the execution is over. */
  async #afterDeath(death: FaultDeath, target: FaultTarget): Promise<FaultTarget | undefined> {
    if (death.cause === 'deadline') this.end('completed', plainEnds.completed)
    else if (death.cause === 'silence') this.end('agent_frozen', frozenMessage)
    else if (target.kind === 'Host' || isAlive(target.init)) this.end('fault_died', death.message)
    if (this.#end || target.kind === 'Host') return undefined
    const next = await this.#follower?.next(target, this.#ending.promise)
    if (next === 'removed') this.end('target_gone', 'The container was removed.')
    if (typeof next !== 'object') return undefined
    this.#note('The container restarted; the attack was started again for the time that remained.')
    return next
  }

  async #finish(): Promise<void> {
    const { executionId } = this.order
    const { journal } = this.#deps
    const end = this.#end ?? { reason: 'start_failed', message: 'It ended without a reason.' }
    if (end.reason === 'halted')
      for (const stage of ['InterruptTriggered', 'RollbackTriggered', 'RollbackStarted'] as const)
        this.#emit(stage, '')
    else if (this.#undo.length > 0) this.#emit('TearingDown', '')
    const left = await this.#revert()
    this.#follower?.close()
    const reason = left ? 'left_behind' : end.reason
    const notes = this.#notes.filter((note) => note !== nothingSeen || !this.#sawTraffic)
    const message = [left ?? '', end.message, ...notes].filter(Boolean).join(' ')
    const measured = this.#struck ?? totalEffect(this.#measurements)
    this.#seq += 1
    const report = { reason, message, seq: this.#seq, ...this.#effects(measured) }
    journal.update(executionId, { state: 'DONE', report }, 'soon')
    this.#publish({ ...report, stage: endReasons[reason] })
  }

  /** Takes everything back and verifies it, whatever the disk does. @returns what is left behind, if anything */
  async #revert(): Promise<string | undefined> {
    const fault = this.#deps.faults[this.order.attackType.toLowerCase() as AttackTypeName]
    return takeBack(fault, this.#undo, () => this.#handle?.stop())
  }

  #note(text: string): void {
    if (!this.#notes.includes(text)) this.#notes.push(text)
  }

  #emit(stage: Stage, message: string, measured?: Effect): void {
    this.#seq += 1
    this.#publish({ seq: this.#seq, stage, message, ...this.#effects(measured) })
  }

  /** What was asked and what was measured, as far as it is known. */
  #effects(measured: Effect | undefined) {
    return {
      ...(this.#requested ? { requested: this.#requested } : {}),
      ...(measured ? { measured } : {}),
      ...(this.#backend ? { backend: this.#backend } : {}),
    }
  }

  #publish(update: Pick<ExecutionUpdate, 'seq' | 'stage' | 'message'>): void {
    const { executionId, generation, local } = this.order
    this.#last = { executionId, generation, local, atMs: performance.now(), ...update }
    this.#deps.onUpdate(this.#last)
  }
}

const lateMessage = 'The agent stood still when it was to act, so it did not.'
const sleptMessage = (ms: number) =>
  `The machine was suspended for ${Math.round(ms / 1000)} s, so the attack was ended.`
const frozenMessage = 'The agent stood still for more than ten seconds, so the fault ended itself.'
