import { Group, Text } from '@mantine/core'
import type { User } from '../../../../../shared/api/users.ts'
import { RelativeTime } from '../../../parts/relative-time.tsx'
import { UserState } from '../../../parts/user-state.tsx'

/** Who somebody is, and since when they are here. */
export function UserFacts({ user }: { readonly user: User }) {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ')
  return (
    <div>
      <Group gap="sm">
        <Text fw={600} className="temblor-given">
          {user.identifier}
        </Text>
        <UserState state={user.state} />
      </Group>
      {name && (
        <Text size="sm" className="temblor-given">
          {name}
        </Text>
      )}
      <Text size="sm" c="dimmed" className="temblor-given">
        {user.state === 'INVITED' ? 'Invited ' : 'Here since '}
        <RelativeTime at={user.created_at} />
        {user.invited_by === null ? '' : `, by ${user.invited_by}`}
      </Text>
    </div>
  )
}
