import type { User } from '../../../../shared/api/users.ts'

/** What the address of the list of people says. */
export interface UserFilters {
  readonly state?: User['state'] | undefined
  /** In an address or a name. */
  readonly text?: string | undefined
}

/** The filters of an address; what makes no sense is left out. */
export function readUserFilters({ state, text }: Record<string, unknown>): UserFilters {
  return {
    ...(state === 'ACTIVE' || state === 'INVITED' || state === 'REVOKED' ? { state } : {}),
    ...(typeof text === 'string' && text !== '' ? { text: text.slice(0, 200) } : {}),
  }
}

/** Whether the list shows somebody. */
export function fitsUser(user: User, { state, text }: UserFilters): boolean {
  if (state !== undefined && user.state !== state) return false
  const wanted = text?.toLowerCase() ?? ''
  const all = [user.identifier, user.first_name, user.last_name]
  return all.some((one) => one?.toLowerCase().includes(wanted))
}
