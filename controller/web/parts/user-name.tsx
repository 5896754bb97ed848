import { Text } from '@mantine/core'
import type { User } from '../../../shared/api/users.ts'
import { UserState } from './user-state.tsx'

/** Somebody by address, and by name where there is one; what is unusual about them is said. */
export function UserName({ user }: { readonly user: User }) {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ')
  return (
    <>
      <Text size="sm" className="temblor-given">
        {user.identifier}
      </Text>
      {name && (
        <Text size="xs" c="dimmed" className="temblor-given">
          {name}
        </Text>
      )}
      {user.state !== 'ACTIVE' && <UserState state={user.state} />}
    </>
  )
}
