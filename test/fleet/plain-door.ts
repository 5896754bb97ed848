import { ServerCredentials } from '@grpc/grpc-js'
import type { AgentSubject } from '../../controller/agents/authority.ts'
import type { AgentDoor } from '../../controller/agents/door.ts'
import type { AgentCall } from '../../controller/agents/stream.ts'
import { isId } from '../../controller/store/keys.ts'

/** Who an agent says it is where no certificate says so. */
export function plainHeaders({ teamId, instanceId }: AgentSubject): Record<string, string> {
  return { 'fleet-team': teamId, 'fleet-instance': instanceId }
}

/** Lets agents in without TLS, on their word. Only for what TLS costs to be known. */
export function plainDoor(): AgentDoor {
  return { credentials: ServerCredentials.createInsecure(), subjectOf }
}

function subjectOf(call: AgentCall): AgentSubject | undefined {
  const [teamId = ''] = call.metadata.get('fleet-team').map(String)
  const [instanceId = ''] = call.metadata.get('fleet-instance').map(String)
  return isId(teamId) && isId(instanceId) ? { teamId, instanceId } : undefined
}
