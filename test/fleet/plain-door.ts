import type { AgentSubject } from '../../controller/agents/authority.ts'

/** Who an agent says it is where no certificate says so. */
export function plainHeaders({ teamId, instanceId }: AgentSubject): Record<string, string> {
  return { 'fleet-team': teamId, 'fleet-instance': instanceId }
}
