import type { Logger } from 'pino'
import type { AgentMessage__Output } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import type { Heartbeat__Output } from '../../proto/gen/temblor/agent/v1/Heartbeat.ts'
import type { Hello__Output } from '../../proto/gen/temblor/agent/v1/Hello.ts'
import type { Inventory__Output } from '../../proto/gen/temblor/agent/v1/Inventory.ts'
import type { RefreshResult } from '../store/hosts.ts'
import type { Team } from '../store/companies.ts'
import type { Store } from '../store/store.ts'
import type { FullOrder } from '../store/waiting-orders.ts'
import type { AgentAudit, AgentPeer } from '../audit/of-agents.ts'
import type { AgentSubject, Authority } from './authority.ts'
import type { Gathered } from './gathered.ts'
import type { Beat, Heartbeats } from './heartbeats.ts'
import type { AgentHub } from './hub.ts'
import { InventoryChanges } from './inventory-changes.ts'
import { recordManualAttack } from './manual-attack.ts'
import { OpenExecutions } from './open-executions.ts'
import { haltGeneration, isHalt, orderMessage } from './orders.ts'
import { identifierProblem, refusedClaim } from './refused-claim.ts'
import { reconcile } from './reconcile.ts'
import { Reports } from './reports.ts'
import { SentOrders } from './sent-orders.ts'
import type { AgentStream } from './stream.ts'

/** A host is targetable while its lease lasts: three heartbeats. */
const heartbeatsPerLease = 3

/** Orders to begin that were read longer ago are read again: while this controller was frozen, a halt may have been answered. */
const ordersFreshForMs = 1_000
const isOld = (askedMs: number) => performance.now() - askedMs > ordersFreshForMs

export interface SessionDeps {
  readonly store: Store
  readonly hub: AgentHub
  readonly authority: Authority
  readonly agentAudit: AgentAudit
  readonly logger: Logger
  readonly controllerId: string
  readonly heartbeats: Heartbeats
  readonly gathered: Gathered
  /** Of the kernel that this controller runs on. */
  readonly bootId: string
  readonly heartbeatMs: number
  readonly deadManMs: number
}

/** The session of one agent, from Hello to the end of its stream. */
export class AgentSession {
  readonly teamId: string
  readonly companyId: string
  readonly identifier: string
  private readonly deps: SessionDeps
  private readonly agent: AgentPeer
  private readonly stream: AgentStream
  /** Newer sessions of the same host have a greater one. */
  readonly epoch: number
  private readonly leaseMs: number
  private readonly open: OpenExecutions
  private readonly reports: Reports
  private readonly sent = new SentOrders()
  private readonly inventories: InventoryChanges
  private heartbeatSeen = 0
  /** The heartbeat of a host on which nothing runs, which is what nearly all of them are. */
  private readonly calm: Beat
  private delivery: Promise<void> | undefined
  private deliverAgain = false

  private constructor(
    deps: SessionDeps,
    { agent, team }: { agent: AgentPeer; team: Team },
    stream: AgentStream,
    hello: Hello__Output,
    epoch: number,
  ) {
    this.deps = deps
    this.agent = agent
    this.stream = stream
    this.teamId = team.id
    this.companyId = team.companyId
    this.identifier = hello.identifier
    this.epoch = epoch
    this.leaseMs = deps.heartbeatMs * heartbeatsPerLease
    this.calm = {
      ...this.lease(),
      running: [],
      answer: (result: RefreshResult) => this.onRefreshed(result),
    }
    this.open = new OpenExecutions(deps.store, team.id)
    this.inventories = new InventoryChanges(hello.inventory)
    this.reports = new Reports({
      words: deps.gathered.words,
      open: this.open,
      sent: this.sent,
      stream,
      logger: deps.logger,
      teamId: team.id,
      session: { host: hello.identifier, epoch },
      version: hello.version,
      onOutdated: () => this.giveWay(),
    })
  }

  /** Opens a session, or answers the Hello with a refusal and undefined. */
  static async open(
    deps: SessionDeps,
    { subject, team }: { subject: AgentSubject; team: Team },
    stream: AgentStream,
    hello: Hello__Output,
    address: string,
  ): Promise<AgentSession | undefined> {
    const message = identifierProblem(hello.identifier)
    if (message !== undefined) {
      stream.close({ refusal: { code: 'identifier_invalid', message, final: true } })
      return undefined
    }
    const leaseMs = deps.heartbeatMs * heartbeatsPerLease
    const { controllerId } = deps
    const host = { ...hello, address, controllerId }
    const claim = await deps.store.hosts.claim(subject.teamId, host, leaseMs)
    if (claim.kind === 'ok') {
      const agent = { ...subject, peer: address }
      const session = new AgentSession(deps, { agent, team }, stream, hello, claim.epoch)
      await session.begin(hello, claim.before).catch((error: unknown) => {
        deps.hub.leave(session)
        throw error
      })
      if (claim.isNew) await deps.agentAudit.joined(agent, hello.identifier)
      return session
    }
    const refused = refusedClaim(claim, hello, address)
    deps.logger.warn({ teamId: subject.teamId, code: refused.code }, refused.message)
    stream.close({ refusal: refused })
    return undefined
  }

  /** Handles one message that is no heartbeat. @throws Error when storage is away; the agent then sends it again */
  async handle(message: AgentMessage__Output): Promise<void> {
    const { inventory, commandAck, executionUpdate, manualAttack } = message
    if (inventory) await this.onInventory(inventory)
    else if (commandAck) await this.reports.onCommandAck(commandAck)
    else if (executionUpdate) await this.reports.onUpdate(executionUpdate)
    else if (manualAttack)
      await recordManualAttack(this.deps, this.agent, this.identifier, manualAttack)
    else if (message.renewCertificate) await this.onRenew(message.renewCertificate.csrPem)
    else if (message.bye) await this.onBye()
    else this.deps.logger.warn({ host: this.identifier }, 'unexpected message from an agent')
  }

  /** Whether this may be on its way to storage together with what comes before and after it. */
  isGathered({ commandAck, executionUpdate }: AgentMessage__Output): boolean {
    if (!executionUpdate) return !!commandAck
    return this.open.knownTimesOf(executionUpdate.executionId) !== undefined
  }

  onHeartbeat({ seq, running }: Heartbeat__Output): void {
    this.heartbeatSeen = seq
    const ids = running.map((ref) => ref.executionId)
    this.deps.heartbeats.beat(
      this.teamId,
      ids.length > 0 ? { ...this.calm, running: ids } : this.calm,
    )
    // Agents that run nothing are not answered: that would cost more than the heartbeat.
    if (ids.length > 0 && this.deps.heartbeats.isKept())
      this.stream.send({
        leaseAck: { heartbeatSeq: seq, figuresMs: this.deps.hub.figuresMs() },
      })
  }

  deliverSoon(): void {
    if (this.delivery) {
      this.deliverAgain = true
      return
    }
    this.delivery = this.deliver()
      .catch((err: unknown) =>
        this.deps.logger.warn({ err, host: this.identifier }, 'orders wait for the next heartbeat'),
      )
      .finally(() => {
        this.delivery = undefined
        if (!this.deliverAgain) return
        this.deliverAgain = false
        this.deliverSoon()
      })
  }

  /**
   * Sends an order that is known as it was written. False when that may be too long ago: it has to be read, because
   * what is to begin may have been halted meanwhile.
   */
  give(order: FullOrder, { nowMs, askedMs }: { nowMs: number; askedMs: number }): boolean {
    if (!isHalt(order) && isOld(askedMs)) return false
    this.sendOrder(order, nowMs)
    return true
  }

  /** A newer session of the same host took over. */
  giveWay(): void {
    this.refuse('replaced', 'A newer session of this agent took over.', false)
  }

  /** The controller is about to stop: the agent is to connect anew within this time. */
  moveWithin(windowMs: number): void {
    this.stream.send({ drain: { reconnectMinMs: 0, reconnectMaxMs: windowMs } })
  }

  /** How many executions its agent has been given, or was heard of, and that are not over. */
  get openCount(): number {
    return this.open.size
  }

  /** Has the agent end what it runs of an attack, or all, without any record. @returns how many executions */
  haltUnrecorded(attackId?: string): number {
    const open = this.open.of(attackId)
    for (const one of open) this.stream.send({ halt: { ...one, generation: haltGeneration } })
    return open.length
  }

  refuse(code: string, message: string, final: boolean): void {
    this.stream.close({ refusal: { code, message, final } })
  }

  private async begin(hello: Hello__Output, before: string | undefined): Promise<void> {
    this.deps.hub.join(this, before)
    this.stream.send({
      welcome: {
        sessionEpoch: this.epoch,
        heartbeatMs: this.deps.heartbeatMs,
        leaseMs: this.leaseMs,
        deadManMs: this.deps.deadManMs,
        controllerBootId: this.deps.bootId,
      },
    })
    const { deps, teamId, identifier: host, epoch } = this
    const about = { executions: deps.store.executions, logger: deps.logger }
    await reconcile(about, { teamId, session: { host, epoch }, hello }, (unknown) =>
      this.stream.send({ halt: { ...unknown, attackId: '' } }),
    )
    this.deliverSoon()
  }

  private async onInventory(inventory: Inventory__Output): Promise<void> {
    if (!this.inventories.isNew(inventory)) return
    const change = { ...this.lease(), inventory }
    const [result] = await this.deps.store.hosts.refresh(this.teamId, [change])
    this.inventories.recorded(inventory)
    if (result) this.onRefreshed(result)
  }

  private async onBye(): Promise<void> {
    this.deps.heartbeats.forget(this.teamId, this.identifier)
    await this.deps.store.hosts.release(this.teamId, this.identifier, this.epoch)
  }

  private lease() {
    return { identifier: this.identifier, epoch: this.epoch, leaseMs: this.leaseMs }
  }

  private onRefreshed(result: RefreshResult): void {
    if (result.kind === 'replaced') this.giveWay()
    if (result.kind === 'forgotten')
      this.refuse('forgotten', 'This host was silent for long. It registers again.', false)
    if (result.kind === 'ok' && result.waitingOrders > 0) this.deliverSoon()
  }

  private async onRenew(csrPem: string): Promise<void> {
    const certificatePem = await this.deps.authority.issueAgentCertificate(csrPem, this.agent)
    this.stream.send({ renewedCertificate: { certificatePem } })
  }

  private async deliver(): Promise<void> {
    const { askedMs, nowMs, orders } = await this.deps.gathered.orders.add(this.teamId, {
      host: this.identifier,
      isOver: () => this.stream.isOver(),
    })
    for (const order of orders) if (!this.give(order, { nowMs, askedMs })) this.deliverAgain = true
  }

  private sendOrder(order: FullOrder, nowMs: number): void {
    const { heartbeatSeen } = this
    const figuresMs = this.deps.hub.figuresMs()
    const message = orderMessage(order, nowMs, { heartbeatSeen, figuresMs })
    if (!message || !this.sent.add(order.executionId, order.generation)) return
    if (message.run) this.open.note(order)
    this.stream.send(message)
  }
}
