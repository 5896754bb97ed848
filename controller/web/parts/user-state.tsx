import type { User } from '../../../shared/api/users.ts'
import { StateBadge } from './state-badge.tsx'

const states = {
  ACTIVE: ['good', 'Active'],
  INVITED: ['waiting', 'Invited'],
  REVOKED: ['bad', 'Revoked'],
} as const

/** Whether somebody may sign in. */
export function UserState({ state }: { readonly state: User['state'] }) {
  const [tone, words] = states[state]
  return <StateBadge tone={tone}>{words}</StateBadge>
}
