import { Button, Group, NativeSelect, Stack, Table, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { User } from '../../../../../shared/api/users.ts'
import { companyUsersQuery } from '../../../api/company.ts'
import { useApp } from '../../../app-context.ts'
import { Allowed } from '../../../parts/allowed.tsx'
import { Asked } from '../../../parts/asked.tsx'
import { countWords } from '../../../parts/count-words.ts'
import { LinkText } from '../../../parts/link-button.tsx'
import { rolesWords } from '../../../parts/role-words.ts'
import { SectionTitle } from '../../../parts/section-title.tsx'
import { UserState } from '../../../parts/user-state.tsx'
import { WideTable } from '../../../parts/wide-table.tsx'
import { useMe } from '../../../shell/me.tsx'
import { fitsUser, type UserFilters } from '../user-filters.ts'
import { InviteDialog } from './invite-dialog.tsx'

const page = getRouteApi('/shell/company/users')
/** So many more at a time. */
const shownAtOnce = 200

/** Everybody in the company: active, invited and revoked. */
export function UsersPage() {
  const { api } = useApp()
  const { self, can } = useMe()
  const filters = page.useSearch()
  const mayRead = can('COMPANY_USERS_READ')
  const users = useQuery({ ...companyUsersQuery(api, self.company_id), enabled: mayRead })
  const [isInviting, setInviting] = useState(false)
  return (
    <Stack gap="md">
      <SectionTitle of="Company" title="Users">
        {can('COMPANY_USERS_WRITE') && (
          <Button size="xs" onClick={() => setInviting(true)}>
            Invite people
          </Button>
        )}
      </SectionTitle>
      <Allowed privilege="COMPANY_USERS_READ">
        <FilterBar filters={filters} />
        <Asked query={users} what="the people">
          {(all) => <UserList users={all.filter((user) => fitsUser(user, filters))} />}
        </Asked>
      </Allowed>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Stack>
  )
}

function FilterBar({ filters }: { readonly filters: UserFilters }) {
  const navigate = useNavigate({ from: '/company/users' })
  const change = (part: Record<string, unknown>) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true })
  return (
    <Group gap="xs" align="flex-end" role="search" aria-label="Filter the people">
      <NativeSelect
        label="State"
        size="xs"
        value={filters.state ?? ''}
        onChange={({ currentTarget: { value } }) => change({ state: value || undefined })}
        data={[
          { value: '', label: 'All' },
          { value: 'ACTIVE', label: 'Active' },
          { value: 'INVITED', label: 'Invited' },
          { value: 'REVOKED', label: 'Revoked' },
        ]}
      />
      <TextInput
        label="Address or name"
        size="xs"
        type="search"
        defaultValue={filters.text ?? ''}
        onChange={({ currentTarget: { value } }) => change({ text: value || undefined })}
      />
    </Group>
  )
}

function UserList({ users }: { readonly users: readonly User[] }) {
  const [shown, setShown] = useState(shownAtOnce)
  if (users.length === 0) return <Text size="sm">Nobody fits.</Text>
  return (
    <>
      <WideTable label="Users of the company" minWidth={640}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Who</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Company roles</Table.Th>
            <Table.Th>Teams</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {users.slice(0, shown).map((user) => (
            <UserRow key={user.identifier} user={user} />
          ))}
        </Table.Tbody>
      </WideTable>
      <Text size="sm" c="dimmed">
        {countWords(users.length, 'user')}
      </Text>
      {users.length > shown && (
        <Group>
          <Button size="xs" variant="default" onClick={() => setShown(shown + shownAtOnce)}>
            Show more
          </Button>
        </Group>
      )}
    </>
  )
}

function UserRow({ user }: { readonly user: User }) {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ')
  return (
    <Table.Tr>
      <Table.Td className="temblor-given">
        <LinkText to="/company/users/$email" params={{ email: user.identifier }} size="sm" fw={600}>
          {user.identifier}
        </LinkText>
        {name && (
          <Text size="xs" c="dimmed">
            {name}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <UserState state={user.state} />
      </Table.Td>
      <Table.Td>{rolesWords(user.roles)}</Table.Td>
      <Table.Td className="temblor-given">
        {user.team_memberships.map((team) => team.name).join(', ') || 'none'}
      </Table.Td>
    </Table.Tr>
  )
}
