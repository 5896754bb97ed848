import { ApiError } from '../../shared/api/errors.ts'
import { isTeamPrivilege, type Privilege } from '../../shared/roles.ts'

/** Names the privileges of which the caller has none, and whom to ask. */
export function forbidden(enough: readonly Privilege[]): ApiError {
  const where = enough.some(isTeamPrivilege) ? ' for target team' : ''
  const who = where ? 'manager of the team' : 'manager or an owner of the company'
  return new ApiError(
    'forbidden',
    `User requires privilege${where}: ${enough.join(' or ')}. Ask a ${who} for a role that has it.`,
    { details: { privilege: enough[0], any_of: enough } },
  )
}
