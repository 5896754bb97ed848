import { privilegesOf } from '../../shared/roles.ts'
import type { Store } from '../store/store.ts'

/** An invitation is worth what its inviter may do now: whoever was revoked leaves no way in behind. */
export async function mayStillInvite(
  store: Store,
  companyId: string,
  inviter: string,
): Promise<boolean> {
  const user = await store.users.findByEmail(inviter)
  const membership = user && (await store.companies.readMembership(companyId, user.id))
  return Boolean(membership && privilegesOf(membership.roles, []).has('COMPANY_USERS_WRITE'))
}
