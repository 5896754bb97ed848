import type { AgentHub } from '../../agents/hub.ts'
import type { Store } from '../../store/store.ts'

/** Cuts the agent of a host off at once; what it runs ends and is recorded so. False for no such host. */
export async function revokeHost(
  { store, hub }: { store: Store; hub: AgentHub },
  teamId: string,
  identifier: string,
  who: string,
): Promise<boolean> {
  if (!(await store.hosts.revoke(teamId, identifier))) return false
  hub.cutOff(teamId, identifier, `${who} revoked this host.`)
  for (const execution of await store.executions.openOn(teamId, identifier))
    await store.executions.end(teamId, execution, {
      reason: 'host_revoked',
      message: `${who} revoked the host; its agent ends what it runs and can report no more.`,
    })
  return true
}
