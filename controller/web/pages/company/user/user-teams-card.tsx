import { Button, Group, NativeSelect, Table, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { addTeamUsers, type User } from '../../../../../shared/api/users.ts'
import { teamsQuery } from '../../../api/company.ts'
import { useApp } from '../../../app-context.ts'
import { Card } from '../../../parts/card.tsx'
import { ErrorText } from '../../../parts/error-text.tsx'
import { LinkText } from '../../../parts/link-button.tsx'
import { rolesWords } from '../../../parts/role-words.ts'
import { WideTable } from '../../../parts/wide-table.tsx'
import { useMe } from '../../../shell/me.tsx'
import { MemberActions } from '../../team/member-actions.tsx'
import { refreshPeople } from '../../team/refresh-people.ts'

/** The teams that somebody is in, as what. */
export function UserTeamsCard({ user }: { readonly user: User }) {
  const { can } = useMe()
  const mayPlace = can('COMPANY_USERS_WRITE')
  return (
    <Card title="Teams">
      {user.team_memberships.length === 0 && <Text size="sm">None yet.</Text>}
      {user.team_memberships.length > 0 && (
        <WideTable label={`Teams of ${user.identifier}`} minWidth={420}>
          <Table.Tbody>
            {user.team_memberships.map((team) => (
              <Table.Tr key={team.identifier}>
                <Table.Td className="temblor-given">
                  <LinkText to="/company/teams/$id" params={{ id: team.identifier }} size="sm">
                    {team.name}
                  </LinkText>
                </Table.Td>
                <Table.Td>{rolesWords(team.roles)}</Table.Td>
                <Table.Td>{mayPlace && <MemberActions team={team} user={user} />}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
      )}
      {mayPlace && user.state === 'ACTIVE' && <AddToTeam user={user} />}
    </Card>
  )
}

function AddToTeam({ user }: { readonly user: User }) {
  const { api, queryClient } = useApp()
  const teams = useQuery(teamsQuery(api))
  const [teamId, setTeamId] = useState('')
  const isIn = new Set(user.team_memberships.map(({ identifier }) => identifier))
  const others = teams.data?.filter(({ identifier }) => !isIn.has(identifier)) ?? []
  const work = useMutation({
    mutationFn: async () => {
      const body = [{ identifier: user.identifier }]
      await api.call(addTeamUsers, { query: { teamId }, body })
      setTeamId('')
      await refreshPeople(queryClient)
    },
  })
  if (others.length === 0) return null
  return (
    <>
      <Group gap="xs" align="flex-end">
        <NativeSelect
          size="xs"
          label="Another team"
          value={teamId}
          onChange={(event) => setTeamId(event.currentTarget.value)}
          data={[
            { value: '', label: 'Choose a team' },
            ...others.map(({ identifier, name }) => ({ value: identifier, label: name })),
          ]}
        />
        <Button
          size="xs"
          variant="default"
          disabled={teamId === ''}
          loading={work.isPending}
          onClick={() => work.mutate()}
        >
          Add
        </Button>
      </Group>
      <ErrorText error={work.error} />
    </>
  )
}
