import type { Logger } from 'pino'
import type { ControllerMessage__Output } from '../proto/gen/temblor/agent/v1/ControllerMessage.ts'
import type { Drain__Output } from '../proto/gen/temblor/agent/v1/Drain.ts'
import type { Inventory } from '../proto/gen/temblor/agent/v1/Inventory.ts'
import type { Refusal__Output } from '../proto/gen/temblor/agent/v1/Refusal.ts'
import type { Welcome__Output } from '../proto/gen/temblor/agent/v1/Welcome.ts'
import { version } from '../shared/version.ts'
import { moveDelayMs, reconnectDelayMs } from './backoff.ts'
import { watchForSilence } from './dead-man.ts'
import type { ExecutionUpdate } from './execution-update.ts'
import { ClosingError, type Executor } from './executor.ts'
import { sinceBootMs } from './host/sleep-watch.ts'
import type { AgentCredentials } from './identity.ts'
import type { Journal } from './journal.ts'
import { AgeGuard, readOrder } from './orders.ts'
import { Outbox } from './outbox.ts'
import { Renewal } from './renewal.ts'
import { Session, type SessionEnd } from './session.ts'
import { manualAttackMessage, updateMessage } from './update-message.ts'

export interface LinkDeps {
  readonly executor: Executor
  readonly journal: Journal
  readonly log: Logger
  readonly identifier: string
  readonly instanceId: string
  readonly bootId: string
  readonly stateDir: string
  readonly credentials: AgentCredentials
  readonly inventory: () => Inventory
  /** Called at the first welcome. */
  readonly onReady: () => void
}

/** What holds until the first welcome. */
const defaultDeadManMs = 30_000
const defaultHeartbeatMs = 5000
/** Several changes of the inventory within this time are sent once. */
const inventoryDebounceMs = 50
const reportTimeoutMs = 3000

/** Keeps a session with the controller open, and everything that must outlive one session. */
export class ControllerLink {
  readonly #deps: LinkDeps
  readonly #outbox = new Outbox()
  readonly #ages = new AgeGuard()
  readonly #renewal: Renewal
  readonly #deadMan: ReturnType<typeof watchForSilence>
  readonly #closing = new AbortController()
  /** Local executions that this session's controller was told of; true once it has answered. */
  readonly #told = new Map<string, boolean>()
  #session: Session | undefined
  #welcome: Welcome__Output | undefined
  #deadManMs = defaultDeadManMs
  #heartbeat = 0
  #attempt = 0
  #inventoryTimer: NodeJS.Timeout | undefined
  #moveTimer: NodeJS.Timeout | undefined
  #lastProblem: string | undefined

  constructor(deps: LinkDeps) {
    this.#deps = deps
    this.#renewal = new Renewal(deps.stateDir, deps.instanceId, deps.credentials)
    this.#deadMan = watchForSilence({
      isExpected: () => this.#remote().length > 0 || this.#outbox.hasEnds,
      limitMs: () => this.#deadManMs,
      onSilence: (silentMs) => this.#onSilence(silentMs),
    })
  }

  /** Whether a session is open, and what the last problem was. */
  get status(): { connected: boolean; address: string; problem: string | undefined } {
    const connected = this.#session !== undefined && this.#welcome !== undefined
    return {
      connected,
      address: this.#renewal.credentials.address,
      problem: connected ? undefined : this.#lastProblem,
    }
  }

  /** Connects again and again. @returns the controller's final refusal, or undefined when closed */
  async run(): Promise<Refusal__Output | undefined> {
    const { log } = this.#deps
    for (let attempt = 0; !this.#closing.signal.aborted; attempt += 1) {
      const { end, wasWelcome } = await this.#oneSession()
      if (this.#closing.signal.aborted) return undefined
      if (wasWelcome) attempt = 0
      this.#lastProblem = describe(end)
      if (end.kind === 'refused' && end.refusal.final) return end.refusal
      // It has waited already, and another controller expects it.
      if (end.kind === 'moved') continue
      const told = end.kind === 'lost' ? end.retryAfterMs : undefined
      const delayMs = reconnectDelayMs(attempt, this.#remote().length > 0, told)
      log.warn({ delayMs: Math.round(delayMs) }, `session over: ${this.#lastProblem}`)
      await this.#pause(delayMs)
    }
    return undefined
  }

  /** Sends an update, now or in the next session. */
  report(update: ExecutionUpdate): void {
    this.#outbox.add(update)
    if (this.#welcome) this.#sendUpdate(update)
  }

  /** The inventory has changed; it is sent again soon. */
  inventoryChanged(): void {
    if (!this.#welcome || this.#inventoryTimer) return
    this.#inventoryTimer = setTimeout(() => {
      this.#inventoryTimer = undefined
      if (this.#welcome) this.#session?.send({ inventory: this.#deps.inventory() })
    }, inventoryDebounceMs)
  }

  /** Waits shortly until all ends are acknowledged, says goodbye and ends. */
  async close(reason: string): Promise<void> {
    const until = performance.now() + reportTimeoutMs
    while (this.#welcome && this.#outbox.hasEnds && performance.now() < until) await this.#pause(20)
    this.#closing.abort()
    this.#deadMan.stop()
    clearTimeout(this.#inventoryTimer)
    await this.#session?.close(reason)
  }

  /** A session in which even the end of an attack is not answered is none: its connection tells nobody. */
  #onSilence(silentMs: number): void {
    const silence = `Nothing was heard of the controller for ${Math.round(silentMs / 1000)} s`
    if (this.#remote().length > 0)
      void this.#deps.executor.endAll(
        'controller_lost',
        `${silence}, so the attack was ended.`,
        ({ local }) => !local,
      )
    else if (this.#welcome) this.#session?.drop(silence)
  }

  async #oneSession(): Promise<{ end: SessionEnd; wasWelcome: boolean }> {
    const { identifier, instanceId, bootId, inventory } = this.#deps
    this.#told.forEach((answered, id) => answered || this.#told.delete(id))
    // By the clock, so that it grows over restarts, too.
    this.#attempt = Math.max(this.#attempt + 1, Date.now())
    const hello = {
      attempt: this.#attempt,
      identifier,
      instanceId,
      bootId,
      version,
      inventory: inventory(),
      knownExecutions: this.#known(),
    }
    this.#ages.sent(0, sinceBootMs())
    const session = new Session(this.#renewal.credentials, hello, (message) => this.#hear(message))
    this.#session = session
    const stops: (() => void)[] = []
    void session.welcome.then((welcome) => {
      this.#welcomed(session, welcome)
      return stops.push(
        this.#beat(session, welcome.heartbeatMs || defaultHeartbeatMs),
        this.#renewal.watch((message) => session.send(message)),
        () => clearTimeout(this.#moveTimer),
      )
    })
    const end = await session.ended
    const wasWelcome = stops.length > 0
    for (const stop of stops) stop()
    this.#session = undefined
    this.#welcome = undefined
    return { end, wasWelcome }
  }

  #welcomed(session: Session, welcome: Welcome__Output): void {
    this.#welcome = welcome
    // It is needed when the session is over: that is what it is for.
    this.#deadManMs = welcome.deadManMs || defaultDeadManMs
    this.#deadMan.heard()
    this.#deps.executor.meetController(welcome.controllerBootId)
    this.#deps.log.info({ epoch: welcome.sessionEpoch }, 'connected to the controller')
    for (const { executionId } of this.#deps.executor.running) this.#tellOfLocal(executionId)
    for (const update of this.#outbox.waiting()) this.#sendUpdate(update)
    // Containers may have come and gone since the Hello was made.
    session.send({ inventory: this.#deps.inventory() })
    this.#deps.onReady()
  }

  #hear(message: ControllerMessage__Output): void {
    const { executor, log } = this.#deps
    this.#deadMan.heard()
    const { run, halt, leaseAck, updateAck, renewedCertificate, drain } = message
    const paced = run ?? leaseAck
    if (paced) executor.paceFigures(paced.figuresMs)
    if (run) {
      const order = readOrder(run)
      void this.#accept(order, () => {
        const heartbeatMs = this.#welcome?.heartbeatMs || defaultHeartbeatMs
        if (!this.#ages.isTooLate(run, heartbeatMs, sinceBootMs())) return executor.run(order)
        const text = 'The order arrived too late to start.'
        return executor.refuse(order, 'expired_before_start', text)
      })
    } else if (halt) {
      const { executionId, generation, attackId } = halt
      log.info({ executionId, attackId }, 'halt')
      void this.#accept(halt, () => executor.halt(executionId, generation, attackId))
    } else if (updateAck) {
      if (this.#told.has(updateAck.executionId)) this.#told.set(updateAck.executionId, true)
      this.#outbox.acknowledge(updateAck.executionId, updateAck.seq)
      executor.acknowledge(updateAck.executionId, updateAck.seq)
    } else if (renewedCertificate) this.#renewal.received(renewedCertificate.certificatePem)
    else if (drain) this.#moveSoon(drain)
  }

  /** Connects anew, by then to another controller: at once while attacks run, so that somebody hears of them. */
  #moveSoon(drain: Drain__Output): void {
    const delayMs = moveDelayMs(drain, this.#remote().length > 0)
    this.#deps.log.info({ delayMs: Math.round(delayMs) }, 'the controller is about to stop')
    clearTimeout(this.#moveTimer)
    this.#moveTimer = setTimeout(() => void this.#session?.move(), delayMs)
  }

  /** Acknowledges a command once it is on disk, or never to be begun; without that it comes again. */
  async #accept(
    command: { readonly executionId: string; readonly generation: number },
    carryOut: () => Promise<void> | void,
  ): Promise<void> {
    const { executionId, generation } = command
    try {
      await carryOut()
      this.#session?.send({ commandAck: { executionId, generation } })
    } catch (err) {
      if (!(err instanceof ClosingError))
        this.#deps.log.error({ err, executionId }, 'a command could not be recorded')
    }
  }

  /** Heartbeats with ±10 % of jitter, so that agents that started together drift apart. */
  #beat(session: Session, intervalMs: number): () => void {
    let timer: NodeJS.Timeout
    const beat = () => {
      this.#heartbeat += 1
      this.#ages.sent(this.#heartbeat, sinceBootMs())
      const running = [...this.#remote(), ...this.#answeredLocal()].map(({ executionId }) =>
        this.#reference(executionId),
      )
      session.send({ heartbeat: { seq: this.#heartbeat, running } })
      timer = setTimeout(beat, intervalMs * (0.9 + Math.random() * 0.2))
    }
    beat()
    return () => clearTimeout(timer)
  }

  #sendUpdate(update: ExecutionUpdate): void {
    if (update.local) this.#tellOfLocal(update.executionId)
    this.#session?.send(updateMessage(update))
  }

  /** A controller must have heard of a local attack before anything about it. */
  #tellOfLocal(executionId: string): void {
    const entry = this.#deps.journal.get(executionId)
    if (!entry?.local || this.#told.has(executionId)) return
    const message = manualAttackMessage(entry)
    if (!message) return
    this.#told.set(executionId, false)
    this.#session?.send(message)
  }

  /** What the journal holds that is not over and acknowledged, as far as the controller knows it. */
  #known(): { executionId: string; generation: number }[] {
    return this.#deps.journal
      .entries()
      .filter((entry) => (entry.state === 'DONE' ? !entry.acknowledged : true))
      .filter((entry) => !entry.local || this.#told.get(entry.executionId))
      .map(({ executionId }) => this.#reference(executionId))
  }

  #remote() {
    return this.#deps.executor.running.filter(({ local }) => !local)
  }

  #answeredLocal() {
    return this.#deps.executor.running.filter(({ executionId }) => this.#told.get(executionId))
  }

  #reference(executionId: string): { executionId: string; generation: number } {
    return { executionId, generation: this.#deps.journal.get(executionId)?.generation ?? 1 }
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delayMs)
      this.#closing.signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer)
          resolve()
        },
        { once: true },
      )
    })
  }
}

function describe(end: SessionEnd): string {
  if (end.kind === 'refused') return `${end.refusal.message} (${end.refusal.code})`
  return end.kind === 'lost' ? end.message : end.kind
}
