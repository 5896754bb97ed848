import { checkParams, ArgsError } from '../shared/attacks/args.ts'
import type { AttackType } from '../shared/attacks/define.ts'
import { findAttackType, type AttackParams, type AttackTypeName } from '../shared/attacks/index.ts'
import type { Effect } from '../shared/effect.ts'
import { endReasons, type EndReason, type Stage } from '../shared/stages.ts'
import { ContainerFollower } from './containers/follower.ts'
import { EngineError, type ContainerSource, type ContainerState } from './containers/source.ts'
import type { ExecutionUpdate, RunOrder } from './execution-update.ts'
import {
  FaultError,
  type Fault,
  type FaultContext,
  type FaultDeath,
  type FaultHandle,
  type FaultTarget,
  type Measurement,
} from './faults/fault.ts'
import type { FaultCatalogue } from './faults/index.ts'
import { callAt } from './host/long-timer.ts'
import { isAlive } from './host/processes.ts'
import type { Journal } from './journal.ts'
import { totalEffect } from './measured-total.ts'
import { refusalByOwner, type OwnerLimits } from './owner-limits.ts'

export interface ExecutionDeps {
  readonly journal: Journal
  readonly faults: FaultCatalogue
  readonly containers: ContainerSource
  readonly limits: OwnerLimits
  readonly instanceId: string
  readonly controlPlane: FaultContext['controlPlane']
  /** Containers under attack by other executions of this agent. */
  readonly otherContainers: (executionId: string) => ReadonlySet<string>
  readonly onUpdate: (update: ExecutionUpdate) => void
}

interface Plan {
  readonly type: AttackType
  readonly params: AttackParams
  readonly fault: Fault
  readonly target: FaultTarget
}

interface Ending {
  readonly reason: EndReason
  readonly message: string
}

const measureEveryMs = 1000
/** A timer this late means that the process did not run: it was frozen. */
const frozenMs = 10_000

/** An execution that must not begin; the reason and a message for people. */
class Refusal extends Error {
  readonly reason: EndReason
  constructor(reason: EndReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** One execution from its start to its verified end. The first end wins; later ones are ignored. */
export class Execution {
  readonly order: RunOrder
  readonly #deps: ExecutionDeps
  readonly #ending = Promise.withResolvers<Ending>()
  readonly #abort = new AbortController()
  readonly #notes: string[] = []
  readonly #measurements: Measurement[] = []
  #end: Ending | undefined
  #seq = 0
  #last: ExecutionUpdate | undefined
  #deadlineMs: number | undefined
  #handle: FaultHandle | undefined
  #follower: ContainerFollower | undefined
  #requested: Effect | undefined
  #backend: string | undefined

  constructor(order: RunOrder, deps: ExecutionDeps) {
    this.order = order
    this.#deps = deps
  }

  /** The newest update, to answer a repeated command with. */
  get last(): ExecutionUpdate | undefined {
    return this.#last
  }

  /** Monotonic ms at which it ends; undefined until it runs. */
  get deadlineMs(): number | undefined {
    return this.#deadlineMs
  }

  /** Ends it, now or as soon as the step that is under way allows. */
  end(reason: EndReason, message: string): void {
    if (this.#end) return
    this.#end = { reason, message }
    this.#abort.abort()
    this.#ending.resolve(this.#end)
  }

  /** Lives its life; resolves when the fault is gone and the report is on disk. Never rejects. */
  async live(): Promise<void> {
    this.#emit('Initializing', '')
    try {
      await this.#carryOut(await this.#admit())
    } catch (error) {
      const { reason, message } = endOf(error)
      this.end(reason, message)
    }
    await this.#finish()
  }

  /** Everything that can be refused is refused here, before the first side effect. */
  async #admit(): Promise<Plan> {
    const { attackType, container } = this.order
    const type = findAttackType(attackType)
    if (!type)
      throw new Refusal('invalid_argument', `This agent knows no attack type "${attackType}".`)
    const params = checkParams(type, this.order.params)
    const kind = container ? 'Container' : 'Host'
    if (!type.targets.includes(kind))
      throw new Refusal('invalid_argument', `${type.type} cannot be aimed at a ${kind}.`)
    const state = container && (await this.#find(container.id))
    const others = this.#deps.otherContainers(this.order.executionId)
    const refusal = refusalByOwner(this.#deps.limits, {
      type,
      params,
      ...(state ? { container: state } : {}),
      containersAtOnce: state ? new Set([...others, state.id]).size : 0,
    })
    if (refusal) throw new Refusal('forbidden_by_owner', refusal)
    const fault = this.#deps.faults[type.type as AttackTypeName]
    const can = await fault.probe(kind)
    if (!can.ok) throw new Refusal('unsupported', `This host cannot do it: ${can.reason}.`)
    return { type, params, fault, target: state?.target ?? { kind: 'Host' } }
  }

  async #find(id: string): Promise<ContainerState> {
    const { containers } = this.#deps
    const state = await containers.resolve(id)
    const name = this.order.container?.name || id
    if (!state)
      throw new Refusal(
        'target_not_found',
        `There is no container ${name} on this host (any more).`,
      )
    if (!state.target)
      throw new Refusal('target_not_found', `The container ${name} is not running.`)
    const onPause = () => this.#note('The container was paused for a time during the attack.')
    this.#follower = new ContainerFollower(state, containers, onPause)
    return state
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
    const { executionId, attackId } = this.order
    const { instanceId, journal, controlPlane } = this.#deps
    const { signal } = this.#abort
    const context: FaultContext = {
      instanceId,
      executionId,
      attackId,
      remainingMs,
      signal,
      controlPlane,
    }
    let handle: FaultHandle
    try {
      const prepared = await plan.fault.prepare(plan.params, target, context)
      this.#requested = prepared.requested
      this.#backend = prepared.backend
      journal.update(executionId, {
        state: 'APPLYING',
        undo: prepared.undo,
        requested: prepared.requested,
        backend: prepared.backend,
        ...(target.kind === 'Container' ? { target } : {}),
      })
      handle = await prepared.start()
    } catch (error) {
      const following = this.#deadlineMs !== undefined && target.kind === 'Container'
      if (following && !isAlive(target.init)) return { cause: 'target', message: 'stopped again' }
      throw error
    }
    this.#handle = handle
    this.#startClock(remainingMs)
    if (this.#end) return undefined
    journal.update(executionId, { state: 'ACTIVE' })
    this.#emit('Running', this.#notes.at(-1) ?? '')
    const death = await this.#whileRunning(handle)
    await handle.stop()
    for (const note of handle.notes?.() ?? []) this.#note(note)
    this.#handle = undefined
    return death
  }

  /** The attack's length counts from the first moment that the fault is there. */
  #startClock(lengthMs: number): void {
    if (this.#deadlineMs !== undefined) return
    this.#deadlineMs = performance.now() + lengthMs
    const cancel = callAt(this.#deadlineMs, (lateMs) => void this.#onDeadline(lateMs))
    void this.#ending.promise.then(cancel)
  }

  async #onDeadline(lateMs: number): Promise<void> {
    if (this.#follower?.waiting)
      return this.end('target_gone', 'The container stopped and did not come back before the end.')
    if (lateMs > frozenMs) {
      // The process stood still. The fault ended by itself; it knows why.
      const death = await this.#handle?.died
      if (death?.cause === 'silence') return this.end('agent_frozen', frozenMessage)
    }
    this.end('completed', completedMessage)
  }

  async #whileRunning(handle: FaultHandle): Promise<FaultDeath | undefined> {
    let latest: Measurement | undefined
    const measure = () => {
      const now = handle.measure()
      if (now && now !== latest) this.#emit('Running', '', now.latest)
      latest = now ?? latest
    }
    const timer = setInterval(measure, measureEveryMs)
    const ended = this.#ending.promise.then(() => undefined)
    const death = await Promise.race([handle.died, ended])
    clearInterval(timer)
    latest = handle.measure() ?? latest
    if (latest) this.#measurements.push(latest)
    return death
  }

  /** The target's next incarnation, or undefined when the execution is over. */
  async #afterDeath(death: FaultDeath, target: FaultTarget): Promise<FaultTarget | undefined> {
    if (death.cause === 'deadline') this.end('completed', completedMessage)
    else if (death.cause === 'silence') this.end('agent_frozen', frozenMessage)
    else if (target.kind === 'Host' || isAlive(target.init)) this.end('fault_died', death.message)
    if (this.#end || target.kind === 'Host') return undefined
    const next = await this.#follower?.next(target, this.#ending.promise)
    if (next === 'removed') this.end('target_gone', 'The container was removed.')
    if (typeof next !== 'object') return undefined
    this.#note('The container restarted; the load was started again for the time that remained.')
    return next
  }

  async #finish(): Promise<void> {
    const { executionId } = this.order
    const { journal } = this.#deps
    const end = this.#end ?? { reason: 'start_failed', message: 'It ended without a reason.' }
    const entry = journal.get(executionId)
    if (end.reason === 'halted')
      for (const stage of ['InterruptTriggered', 'RollbackTriggered', 'RollbackStarted'] as const)
        this.#emit(stage, '')
    else if (entry?.undo.length) this.#emit('TearingDown', '')
    const left = await this.#revert()
    this.#follower?.close()
    const reason = left ? 'left_behind' : end.reason
    const message = [left ?? '', end.message, ...this.#notes].filter(Boolean).join(' ')
    const measured = totalEffect(this.#measurements)
    this.#seq += 1
    const report = {
      reason,
      message,
      seq: this.#seq,
      ...(this.#requested ? { requested: this.#requested } : {}),
      ...(measured ? { measured } : {}),
      ...(this.#backend ? { backend: this.#backend } : {}),
    }
    journal.update(executionId, { state: 'DONE', report })
    this.#publish({ ...report, stage: endReasons[reason] })
  }

  /** Takes everything back and verifies it. @returns what is left behind, if anything */
  async #revert(): Promise<string | undefined> {
    const { journal, faults } = this.#deps
    const entry = journal.get(this.order.executionId)
    if (!entry?.undo.length) return undefined
    journal.update(this.order.executionId, { state: 'REVERTING' })
    const fault = faults[entry.attackType.toLowerCase() as AttackTypeName]
    try {
      await this.#handle?.stop()
      for (const record of entry.undo.toReversed()) await fault.undo(record)
      return undefined
    } catch (error) {
      return `Something is left behind: ${error instanceof Error ? error.message : String(error)}`
    }
  }

  #note(text: string): void {
    if (!this.#notes.includes(text)) this.#notes.push(text)
  }

  #emit(stage: Stage, message: string, measured?: Effect): void {
    this.#seq += 1
    this.#publish({
      seq: this.#seq,
      stage,
      message,
      ...(this.#requested ? { requested: this.#requested } : {}),
      ...(measured ? { measured } : {}),
      ...(this.#backend ? { backend: this.#backend } : {}),
    })
  }

  #publish(update: Pick<ExecutionUpdate, 'seq' | 'stage' | 'message'>): void {
    const { executionId, generation, local } = this.order
    this.#last = { executionId, generation, local, atMs: performance.now(), ...update }
    this.#deps.onUpdate(this.#last)
  }
}

const completedMessage = 'Ended after its length.'
const frozenMessage = 'The agent stood still for more than ten seconds, so the fault ended itself.'

function endOf(error: unknown): Ending {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Refusal) return { reason: error.reason, message }
  if (error instanceof ArgsError) return { reason: 'invalid_argument', message }
  if (error instanceof EngineError) return { reason: 'unsupported', message }
  if (!(error instanceof FaultError)) return { reason: 'start_failed', message }
  if (error.kind === 'target-gone') return { reason: 'target_gone', message }
  return { reason: error.kind === 'failed' ? 'start_failed' : 'unsupported', message }
}
