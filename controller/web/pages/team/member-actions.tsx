import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { teamEditNeeds } from '../../../../shared/role-rules.ts'
import { removeTeamUser, type User } from '../../../../shared/api/users.ts'
import { useApp } from '../../app-context.ts'
import { ConfirmDanger } from '../../parts/confirm-danger.tsx'
import { useMe } from '../../shell/me.tsx'
import { holderOf, usePlace } from '../../shell/use-place.ts'
import { refreshPeople } from './refresh-people.ts'
import { TeamRolesForm } from './team-roles-form.tsx'
import type { TeamOf } from './team-of.ts'

interface MemberActionsProps {
  readonly team: TeamOf
  readonly user: User
}

/** Other roles, or out of the team. */
export function MemberActions({ team, user }: MemberActionsProps) {
  const { api, queryClient } = useApp()
  const { self } = useMe()
  const { holder } = usePlace(team.identifier)
  const [open, setOpen] = useState<'roles' | 'remove'>()
  const close = () => setOpen(undefined)
  const missing = teamEditNeeds(holder, holderOf(user.roles, user), team.identifier, [])
  const isSelf = user.identifier === self.identifier
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`Roles of ${user.identifier}`}
        onClick={() => setOpen('roles')}
      >
        Roles
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        c="var(--mantine-color-error)"
        aria-label={`Remove ${user.identifier}`}
        disabled={missing !== undefined}
        title={missing && `Takes the privilege ${missing}`}
        onClick={() => setOpen('remove')}
      >
        Remove
      </Button>
      {open === 'roles' && <TeamRolesForm team={team} user={user} onClose={close} />}
      <ConfirmDanger
        isOpen={open === 'remove'}
        onClose={close}
        title={`Take ${isSelf ? 'yourself' : user.identifier} out of ${team.name}?`}
        action="Take out"
        onConfirm={async () => {
          const params = { email: user.identifier }
          await api.call(removeTeamUser, { params, query: { teamId: team.identifier } })
          await refreshPeople(queryClient)
        }}
      >
        <Text size="sm">
          From the next request on they see nothing of the team. Attacks that run go on. They stay
          in the company.
        </Text>
      </ConfirmDanger>
    </Group>
  )
}
