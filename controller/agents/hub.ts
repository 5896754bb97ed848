import type { AgentSession } from './session.ts'

/** Who is connected to this controller, and the way to them. */
export interface AgentHub {
  /** Hands a host the orders that wait for it, if its agent is connected here. Never throws. */
  deliverSoon(teamId: string, identifier: string): void
  /** Ends the session of a host at once; its agent does not come back by itself. */
  cutOff(teamId: string, identifier: string, reason: string): void
  /** Makes this session the host's; an older one of the same host ends. */
  join(session: AgentSession): void
  leave(session: AgentSession): void
  connected(): number
  /** Tells every agent to connect elsewhere. */
  drain(): void
}

/** Makes the register of connected agents. */
export function createHub(): AgentHub {
  const sessions = new Map<string, AgentSession>()
  return {
    deliverSoon: (teamId, identifier) => sessions.get(keyOf(teamId, identifier))?.deliverSoon(),
    cutOff(teamId, identifier, reason) {
      sessions.get(keyOf(teamId, identifier))?.refuse('revoked', reason, true)
    },
    join(session) {
      const key = keyOf(session.teamId, session.identifier)
      sessions.get(key)?.refuse('replaced', 'A newer session of this agent took over.', false)
      sessions.set(key, session)
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
