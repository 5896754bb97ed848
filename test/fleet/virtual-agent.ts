import { moveDelayMs, reconnectDelayMs } from '../../agent/backoff.ts'
import { AgeGuard } from '../../agent/orders.ts'
import { updateMessage } from '../../agent/update-message.ts'
import type { ControllerMessage__Output } from '../../proto/gen/temblor/agent/v1/ControllerMessage.ts'
import type { Drain__Output } from '../../proto/gen/temblor/agent/v1/Drain.ts'
import type { Halt__Output } from '../../proto/gen/temblor/agent/v1/Halt.ts'
import type { Inventory } from '../../proto/gen/temblor/agent/v1/Inventory.ts'
import type { Run__Output } from '../../proto/gen/temblor/agent/v1/Run.ts'
import type { Welcome__Output } from '../../proto/gen/temblor/agent/v1/Welcome.ts'
import { version } from '../../shared/version.ts'
import type { Identity } from './identities.ts'
import { VirtualExecutions } from './virtual-executions.ts'
import { type FleetTarget, Wire, type WireEnd } from './wire.ts'

/** What is seen of a virtual agent from outside. Called at the moment itself: be quick. */
export interface AgentWatch {
  connecting?(agent: VirtualAgent): void
  welcomed?(agent: VirtualAgent): void
  /** The session is over; with the time until the next attempt unless it is the last. */
  lost?(agent: VirtualAgent, why: string, delayMs: number | undefined, wasConnected: boolean): void
  /** A command is in the journal and acknowledged. */
  ordered?(agent: VirtualAgent, kind: 'run' | 'halt', command: Run__Output | Halt__Output): void
}

export interface VirtualAgentOptions {
  readonly target: FleetTarget
  readonly identity: Identity
  readonly bootId: string
  readonly inventory: Inventory
  readonly figuresMs: number
  readonly watch: AgentWatch
}

/** An agent of a host that is not there: the protocol and the life of its executions are real. */
export class VirtualAgent {
  readonly identity: Identity
  readonly #options: VirtualAgentOptions
  readonly #executions: VirtualExecutions
  readonly #ages = new AgeGuard()
  #wire: Wire | undefined
  #welcome: Welcome__Output | undefined
  #deadManMs = 0
  #attempt = 0
  #heartbeat = 0
  #heardAt = 0
  #timer: NodeJS.Timeout | undefined
  #moveTimer: NodeJS.Timeout | undefined
  #isMoving = false
  #isClosed = false

  constructor(options: VirtualAgentOptions) {
    this.#options = options
    this.identity = options.identity
    this.#executions = new VirtualExecutions((update) => {
      if (this.#welcome) this.#wire?.send(updateMessage(update))
    }, options.figuresMs)
  }

  get isConnected(): boolean {
    return this.#welcome !== undefined
  }

  /** How many executions are not over. */
  get runningCount(): number {
    return this.#executions.running.length
  }

  /** Connects after this time, and again whenever the session ends, until it is closed. */
  start(delayMs: number): void {
    this.#timer = setTimeout(() => this.#connect(), delayMs)
  }

  /** Breaks the connection; it comes back by itself. */
  cut(): void {
    this.#wire?.cut()
  }

  /** Ends what runs, says goodbye and does not come back. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#moveTimer)
    this.#executions.endAll('agent_stopped', 'The fleet was stopped.')
    if (this.#welcome) this.#wire?.send({ bye: { reason: 'The fleet was stopped.' } })
    this.#wire?.end()
    const patience = setTimeout(() => this.#wire?.cut(), 2_000)
    await this.#wire?.ended
    clearTimeout(patience)
  }

  #connect(): void {
    const { target, identity, bootId, inventory, watch } = this.#options
    watch.connecting?.(this)
    this.#ages.sent(0, performance.now())
    const wire = new Wire(target, identity, (message) => this.#hear(message))
    this.#wire = wire
    const { identifier, instanceId } = identity
    const knownExecutions = this.#executions.known
    wire.send({ hello: { identifier, instanceId, bootId, version, inventory, knownExecutions } })
    void wire.ended.then((end) => this.#onEnd(wire, end))
  }

  #onEnd(wire: Wire, { message, retryAfterMs }: WireEnd): void {
    if (this.#wire !== wire) return
    const wasConnected = this.isConnected
    this.#wire = undefined
    this.#attempt = wasConnected ? 0 : this.#attempt + 1
    this.#welcome = undefined
    clearTimeout(this.#timer)
    clearTimeout(this.#moveTimer)
    this.#endIfSilent()
    // Who moves has waited already.
    const isRunning = this.runningCount > 0
    const jitterMs = this.#isMoving ? 0 : reconnectDelayMs(this.#attempt, isRunning)
    this.#isMoving = false
    const delayMs = this.#isClosed ? undefined : (retryAfterMs ?? 0) + jitterMs
    this.#options.watch.lost?.(this, message, delayMs, wasConnected)
    if (delayMs !== undefined) this.start(delayMs)
  }

  #hear(message: ControllerMessage__Output): void {
    this.#heardAt = performance.now()
    const { welcome, run, halt, leaseAck, updateAck, refusal, drain } = message
    const paced = run ?? leaseAck
    if (paced) this.#executions.pace(paced.figuresMs)
    if (run) this.#onRun(run)
    else if (halt) {
      this.#executions.halt(halt)
      this.#acknowledge('halt', halt)
    } else if (updateAck) this.#executions.acknowledge(updateAck.executionId, updateAck.seq)
    else if (welcome) this.#onWelcome(welcome)
    else if (drain) this.#moveSoon(drain)
    else if (refusal) {
      if (refusal.final) this.#isClosed = true
      this.#wire?.fail(`${refusal.code}: ${refusal.message}`)
    }
  }

  #onWelcome(welcome: Welcome__Output): void {
    this.#welcome = welcome
    this.#deadManMs = welcome.deadManMs
    for (const update of this.#executions.outbox.waiting()) this.#wire?.send(updateMessage(update))
    // Real agents send it again: containers may have come and gone since the Hello.
    this.#wire?.send({ inventory: this.#options.inventory })
    this.#beat()
    this.#options.watch.welcomed?.(this)
  }

  /** The controller is about to stop: connects anew, at once while something runs. */
  #moveSoon(drain: Drain__Output): void {
    clearTimeout(this.#moveTimer)
    this.#moveTimer = setTimeout(
      () => {
        this.#isMoving = true
        this.#wire?.fail('moved')
      },
      moveDelayMs(drain, this.runningCount > 0),
    )
  }

  #onRun(run: Run__Output): void {
    const heartbeatMs = this.#welcome?.heartbeatMs ?? 0
    this.#executions.run(run, this.#ages.isTooLate(run, heartbeatMs, performance.now()))
    this.#acknowledge('run', run)
  }

  /** What it has in its journal need not be sent again. */
  #acknowledge(kind: 'run' | 'halt', command: Run__Output | Halt__Output): void {
    const { executionId, generation } = command
    this.#wire?.send({ commandAck: { executionId, generation } })
    this.#options.watch.ordered?.(this, kind, command)
  }

  /** Heartbeats with ±10 % of jitter, as real agents send them. */
  #beat(): void {
    if (!this.#welcome) return
    this.#endIfSilent()
    this.#heartbeat += 1
    this.#ages.sent(this.#heartbeat, performance.now())
    this.#wire?.send({ heartbeat: { seq: this.#heartbeat, running: this.#executions.running } })
    const delayMs = this.#welcome.heartbeatMs * (0.9 + Math.random() * 0.2)
    this.#timer = setTimeout(() => this.#beat(), delayMs)
  }

  /** The dead man's switch, looked at with each heartbeat and at each loss. */
  #endIfSilent(): void {
    if (this.runningCount === 0 || performance.now() - this.#heardAt < this.#deadManMs) return
    this.#executions.endAll('controller_lost', 'Nothing was heard of the controller.')
  }
}
