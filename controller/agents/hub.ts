import { EventEmitter, once } from 'node:events'
import type { Ring, ToldOrder } from '../store/bells.ts'
import type { WrittenOrders } from '../store/creation-result.ts'
import type { TeamClocks } from '../store/team-clocks.ts'
import { createElsewhere, type Elsewhere, type ElsewhereDeps } from './elsewhere.ts'
import type { AgentSession } from './session.ts'
import { figuresPace } from './pace.ts'
import { inSlices } from './slices.ts'

/** Who is connected to this controller, and the way to them and to those who are connected to others. */
export interface AgentHub {
  /** Hands a host the orders that wait for it, wherever its agent is connected. Never throws. */
  deliverSoon(teamId: string, identifier: string): void
  /** The same for orders that were written just now: who is connected here is given them as they are. */
  give(teamId: string, written: WrittenOrders): void
  /** Ends the session of a host at once; its agent does not come back by itself. */
  cutOff(teamId: string, identifier: string, reason: string): void
  /**
   * Has the agents that are connected here end what they run, of an attack or at all, without a record of it.
   * @returns how many executions
   */
  haltUnrecorded(of: Scope, attackId?: string): number
  /** Makes this session the host's; an older one of the same host ends, also at the controller `before`. */
  join(session: AgentSession, before: string | undefined): void
  leave(session: AgentSession): void
  connected(): number
  /** How often agents are to report figures of what they run, in ms. */
  figuresMs(): number
  /** True as soon as the agents were told to go. */
  isDraining(): boolean
  /**
   * Tells every agent to connect elsewhere within this time; those with running attacks do so at once. Until
   * they do they are served.
   */
  drain(windowMs: number): void
  /** Resolves when nobody is connected, at the latest after this time. */
  empty(withinMs: number): Promise<void>
  /** Ends all sessions; the agents connect again. */
  endAll(): void
}

/** The hosts of a company, or of one team of it. */
export interface Scope {
  readonly companyId: string
  readonly teamId?: string | undefined
}

/** So many agents are served between other events. */
const sliceSize = 200

/** Opens the register of connected agents; it hears what other controllers say of them. */
export async function openHub(deps: ElsewhereDeps): Promise<AgentHub> {
  const sessions = new Map<string, AgentSession>()
  const elsewhere = createElsewhere(deps)
  const { at, deliver, deliverSoon, give } = waysTo(sessions, elsewhere)
  await deps.bells.listen((ring) => hear(ring, { at, deliver, teamClocks: deps.teamClocks }))
  let windowMs: number | undefined
  const left = new EventEmitter()
  const move = inSlices<AgentSession>(sliceSize, (session) => session.moveWithin(windowMs ?? 0))
  return {
    deliverSoon,
    give,
    cutOff(teamId, identifier, reason) {
      at(teamId, identifier)?.refuse('revoked', reason, true)
      elsewhere.cutOff(teamId, identifier, reason)
    },
    haltUnrecorded({ companyId, teamId }, attackId) {
      let halted = 0
      for (const session of sessions.values()) {
        const isMeant = teamId === undefined || session.teamId === teamId
        if (isMeant && session.companyId === companyId) halted += session.haltUnrecorded(attackId)
      }
      return halted
    },
    join(session, before) {
      const { teamId, identifier, epoch } = session
      const key = keyOf(teamId, identifier)
      sessions.get(key)?.giveWay()
      sessions.set(key, session)
      if (windowMs !== undefined) move(session)
      if (before !== undefined) elsewhere.replaced(before, teamId, identifier, epoch)
    },
    leave(session) {
      const key = keyOf(session.teamId, session.identifier)
      if (sessions.get(key) === session) sessions.delete(key)
      if (sessions.size === 0) left.emit('all')
    },
    connected: () => sessions.size,
    figuresMs: figuresPace(() =>
      [...sessions.values()].reduce((sum, { openCount }) => sum + openCount, 0),
    ),
    isDraining: () => windowMs !== undefined,
    drain(within) {
      windowMs = within
      for (const session of sessions.values()) move(session)
    },
    async empty(withinMs) {
      if (sessions.size === 0) return
      await once(left, 'all', { signal: AbortSignal.timeout(withinMs) }).catch(() => undefined)
    },
    endAll() {
      for (const session of sessions.values())
        session.refuse('draining', 'This controller is stopping.', false)
    },
  }
}

/** How orders reach hosts. */
function waysTo(sessions: ReadonlyMap<string, AgentSession>, elsewhere: Elsewhere) {
  const at = (teamId: string, identifier: string) => sessions.get(keyOf(teamId, identifier))
  const deliver = inSlices<AgentSession>(sliceSize, (session) => session.deliverSoon())
  const deliverSoon = (teamId: string, identifier: string) => {
    const session = at(teamId, identifier)
    if (session) deliver(session)
    else elsewhere.deliverSoon(teamId, identifier)
  }
  const give = (teamId: string, written: WrittenOrders) => {
    for (const order of written.orders) {
      const session = at(teamId, order.host)
      if (!session) elsewhere.tell(teamId, { ...order, nowMs: written.nowMs })
      else if (!session.give(order, written)) deliver(session)
    }
  }
  return { at, deliver, deliverSoon, give }
}

/** What another controller says of an agent that may be connected here. */
function hear(
  ring: Ring,
  {
    at,
    deliver,
    teamClocks,
  }: {
    at: (teamId: string, identifier: string) => AgentSession | undefined
    deliver: (session: AgentSession) => void
    teamClocks: TeamClocks
  },
): void {
  const { teamId } = ring
  if (ring.kind === 'deliver') {
    // For the next time. Without it orders are read, which takes a little longer.
    teamClocks.read(teamId).catch(() => undefined)
    for (const identifier of ring.identifiers) {
      const session = at(teamId, identifier)
      const order = ring.orders?.find(({ host }) => host === identifier)
      if (session && !(order && isGiven(session, order, teamClocks.ageMs(teamId, order.nowMs))))
        deliver(session)
    }
    return
  }
  const session = at(teamId, ring.identifier)
  if (ring.kind === 'cutOff') session?.refuse('revoked', ring.reason, true)
  if (ring.kind === 'replaced' && session && session.epoch < ring.epoch) session.giveWay()
}

/** Gives an order that another controller has written so long ago; false when it has to be read. */
function isGiven(session: AgentSession, order: ToldOrder, ageMs: number | undefined): boolean {
  if (ageMs === undefined) return false
  try {
    const nowMs = order.nowMs + ageMs
    return session.give(order, { nowMs, askedMs: performance.now() - ageMs })
  } catch {
    // A controller of another version may know orders that this one does not.
    return false
  }
}

function keyOf(teamId: string, identifier: string): string {
  return `${teamId} ${identifier}`
}
