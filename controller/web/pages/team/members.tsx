import { Button, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { User } from '../../../../shared/api/users.ts'
import { NotAllowed } from '../../parts/allowed.tsx'
import { Asked } from '../../parts/asked.tsx'
import { rolesWords } from '../../parts/role-words.ts'
import { SectionTitle } from '../../parts/section-title.tsx'
import { WideTable } from '../../parts/wide-table.tsx'
import { UserName } from '../../parts/user-name.tsx'
import { usePlace } from '../../shell/use-place.ts'
import { AddMembers } from './add-members.tsx'
import { MemberActions } from './member-actions.tsx'
import type { TeamOf } from './team-of.ts'
import { useMembers } from './use-members.ts'

interface MembersProps {
  readonly team: TeamOf
  /** The page that this is a part of. */
  readonly page: string
}

/** Who is in a team, as what; who may, changes it. */
export function Members({ team, page }: MembersProps) {
  const { can } = usePlace(team.identifier)
  const { mayRead, query, members, others } = useMembers(team.identifier)
  const [isAdding, setAdding] = useState(false)
  const mayPlace = can('USERS_WRITE') || can('COMPANY_USERS_WRITE')
  return (
    <Stack gap="md">
      <SectionTitle of={page} title="Members">
        {mayPlace && (
          <Button size="xs" onClick={() => setAdding(true)}>
            Add people
          </Button>
        )}
      </SectionTitle>
      {mayRead ? (
        <Asked query={query} what="the people">
          {() => <MemberTable team={team} members={members} mayPlace={mayPlace} />}
        </Asked>
      ) : (
        <NotAllowed privilege="USERS_READ" />
      )}
      {isAdding && <AddMembers team={team} known={others} onClose={() => setAdding(false)} />}
    </Stack>
  )
}

interface MemberTableProps {
  readonly team: TeamOf
  readonly members: readonly User[]
  readonly mayPlace: boolean
}

function MemberTable({ team, members, mayPlace }: MemberTableProps) {
  if (members.length === 0)
    return <Text size="sm">Nobody is in this team yet: no attack can be run in it.</Text>
  return (
    <WideTable label={`Members of ${team.name}`} minWidth={480}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Who</Table.Th>
          <Table.Th>Roles in the team</Table.Th>
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {members.map((user) => (
          <Table.Tr key={user.identifier}>
            <Table.Td>
              <UserName user={user} />
            </Table.Td>
            <Table.Td>{rolesWords(teamRolesOf(user, team.identifier))}</Table.Td>
            <Table.Td>
              {mayPlace && user.state !== 'INVITED' && <MemberActions team={team} user={user} />}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

function teamRolesOf(user: User, teamId: string): readonly string[] {
  return user.team_memberships.find(({ identifier }) => identifier === teamId)?.roles ?? []
}
