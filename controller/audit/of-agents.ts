import type { Store } from '../store/store.ts'
import type { Audit } from './audit.ts'

/** An agent as it is known before it is a host: by the instance that it says it is, and its address. */
export interface AgentPeer {
  readonly teamId: string
  readonly instanceId: string
  /** As gRPC writes it, with the port. */
  readonly peer: string
}

/** Records how agents come to teams. */
export interface AgentAudit {
  /** It was given a certificate, or refused one. */
  enrolled(agent: AgentPeer, refusal?: string): Promise<void>
  /** A host was seen in a team for the first time, or another agent has its name now. */
  joined(agent: AgentPeer, host: string): Promise<void>
  /** Somebody started an attack on the host itself. */
  attacked(
    agent: AgentPeer,
    host: string,
    attack: { readonly id: string; readonly type: string; readonly args: string },
  ): Promise<void>
}

/** Makes the recorder of agents. */
export function createAgentAudit(audit: Audit, store: Store): AgentAudit {
  const placeOf = async ({ teamId, peer }: AgentPeer) => {
    // Without storage it is told in the log, and later in the chain of the installation.
    const team = await store.companies.findTeam(teamId).catch(() => undefined)
    return { companyId: team?.companyId, teamId: team?.id, from: addressOf(peer) }
  }
  return {
    async enrolled(agent, refusal) {
      const { instanceId } = agent
      await audit.record({
        ...(await placeOf(agent)),
        action: 'host.enrol',
        actor: { kind: refusal ? 'claimed' : 'host', id: null, name: instanceId },
        ...(refusal ? { result: 'refused', code: refusal } : {}),
      })
    },
    async joined(agent, host) {
      const { instanceId } = agent
      await audit.record({
        ...(await placeOf(agent)),
        action: 'host.join',
        actor: { kind: 'host', id: instanceId, name: host },
        target: { kind: 'host', id: null, name: host },
      })
    },
    async attacked(agent, host, { id, type, args }) {
      await audit.record({
        ...(await placeOf(agent)),
        action: 'attack.create',
        actor: { kind: 'host', id: agent.instanceId, name: host },
        target: { kind: 'attack', id, name: type },
        detail: { args, source: 'Manual' },
      })
    },
  }
}

/** The address without the port. */
function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, '').replace(/^(?:ipv[46]:)?\[?(.*?)\]?$/, '$1')
}
