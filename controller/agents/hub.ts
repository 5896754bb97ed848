import type { Ring } from '../store/bells.ts'
import { createElsewhere, type ElsewhereDeps } from './elsewhere.ts'
import type { AgentSession } from './session.ts'
import { inSlices } from './slices.ts'

/** Who is connected to this controller, and the way to them and to those who are connected to others. */
export interface AgentHub {
  /** Hands a host the orders that wait for it, wherever its agent is connected. Never throws. */
  deliverSoon(teamId: string, identifier: string): void
  /** Ends the session of a host at once; its agent does not come back by itself. */
  cutOff(teamId: string, identifier: string, reason: string): void
  /** Makes this session the host's; an older one of the same host ends, also at the controller `before`. */
  join(session: AgentSession, before: string | undefined): void
  leave(session: AgentSession): void
  connected(): number
  /** Tells every agent to connect elsewhere. */
  drain(): void
}

/** So many agents are served between other events. */
const sliceSize = 200

/** Opens the register of connected agents; it hears what other controllers say of them. */
export async function openHub(deps: ElsewhereDeps): Promise<AgentHub> {
  const sessions = new Map<string, AgentSession>()
  const elsewhere = createElsewhere(deps)
  const deliver = inSlices<AgentSession>(sliceSize, (session) => session.deliverSoon())
  const cutOffHere = (teamId: string, identifier: string, reason: string) =>
    sessions.get(keyOf(teamId, identifier))?.refuse('revoked', reason, true)
  const hear = (ring: Ring): void => {
    const { teamId } = ring
    if (ring.kind === 'cutOff') cutOffHere(teamId, ring.identifier, ring.reason)
    if (ring.kind === 'replaced') {
      const session = sessions.get(keyOf(teamId, ring.identifier))
      if (session && session.epoch < ring.epoch) session.giveWay()
    }
    if (ring.kind !== 'deliver') return
    for (const identifier of ring.identifiers) {
      const session = sessions.get(keyOf(teamId, identifier))
      if (session) deliver(session)
    }
  }
  await deps.bells.listen(hear)
  return {
    deliverSoon(teamId, identifier) {
      const session = sessions.get(keyOf(teamId, identifier))
      if (session) deliver(session)
      else elsewhere.deliverSoon(teamId, identifier)
    },
    cutOff(teamId, identifier, reason) {
      cutOffHere(teamId, identifier, reason)
      elsewhere.cutOff(teamId, identifier, reason)
    },
    join(session, before) {
      const { teamId, identifier, epoch } = session
      const key = keyOf(teamId, identifier)
      sessions.get(key)?.giveWay()
      sessions.set(key, session)
      if (before !== undefined) elsewhere.replaced(before, teamId, identifier, epoch)
    },
    leave(session) {
      const key = keyOf(session.teamId, session.identifier)
      if (sessions.get(key) === session) sessions.delete(key)
    },
    connected: () => sessions.size,
    drain() {
      for (const session of sessions.values())
        session.refuse('draining', 'This controller is stopping.', false)
    },
  }
}

function keyOf(teamId: string, identifier: string): string {
  return `${teamId} ${identifier}`
}
