import { ApiError } from '../../shared/api/errors.ts'
import type { AccessDeps, Caller } from './access.ts'
import { allowsPasswords } from './methods.ts'

/**
 * Gives the caller a new password and ends all their other sessions.
 * @throws ApiError `invalid_credentials`; `forbidden` for a key; `method_disabled`
 */
export async function changePassword(
  deps: AccessDeps,
  { userId, email, company, credential }: Caller,
  given: { currentPassword: string; newPassword: string },
): Promise<void> {
  if (credential.kind === 'key')
    throw new ApiError('forbidden', 'A key does not change the password. Sign in with it.')
  if (credential.session.amr !== 'password')
    throw new ApiError('method_disabled', 'Sign in with the password to change it.')
  if (!allowsPasswords(await deps.store.authPreferences.read(company.id)))
    throw new ApiError('method_disabled', `${company.name} does not use passwords.`)
  const user = await deps.store.users.findByEmail(email)
  if (!(await deps.passwords.check(given.currentPassword, user?.passwordHash)))
    throw new ApiError('invalid_credentials', 'currentPassword is not your password.')
  const hash = await deps.passwords.hash(given.newPassword)
  const epoch = await deps.store.users.setPasswordHash(userId, hash)
  await deps.store.sessions.setEpoch(credential.session, epoch)
}
