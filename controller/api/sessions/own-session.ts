import { ApiError } from '../../../shared/api/errors.ts'
import type { OwnSession } from '../../../shared/api/sessions.ts'
import type { Caller } from '../../auth/access.ts'
import { describeSession } from '../../auth/session-answer.ts'
import type { Store } from '../../store/store.ts'

/**
 * The session that a request is made with, as it is now.
 * @param authorization the header of the request, which has the token; the store has only its hash
 * @throws ApiError `forbidden` for a key
 */
export async function ownSession(
  store: Store,
  { credential, company, membership, email }: Caller,
  authorization = '',
): Promise<OwnSession> {
  if (credential.kind === 'key')
    throw new ApiError('forbidden', 'A key has no session. Its rights are in GET /users/self.')
  const { teamId, expiresMs } = credential.session
  const teams = await store.companies.listTeams(company.id)
  const listed = teams.filter(({ id }) => membership.teams[id] && (teamId ?? id) === id)
  const team = teamId === undefined ? undefined : listed[0]
  const token = authorization.replace(/^Bearer /i, '')
  return describeSession({ company, membership, team, listed }, email, token, expiresMs)
}
