import { Button, Checkbox, Stack, Table, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { createOrg, type Team } from '../../../../../shared/api/teams.ts'
import { companyUsersQuery, teamsQuery } from '../../../api/company.ts'
import { useApp } from '../../../app-context.ts'
import { Asked } from '../../../parts/asked.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { formText } from '../../../parts/form-text.ts'
import { LinkText } from '../../../parts/link-button.tsx'
import { RelativeTime } from '../../../parts/relative-time.tsx'
import { SectionTitle } from '../../../parts/section-title.tsx'
import { WideTable } from '../../../parts/wide-table.tsx'
import { useMe } from '../../../shell/me.tsx'
import { refreshTeams } from '../../team/refresh-teams.ts'

/** The teams of the company. */
export function TeamsPage() {
  const { api } = useApp()
  const { can } = useMe()
  const teams = useQuery(teamsQuery(api))
  const [isMaking, setMaking] = useState(false)
  return (
    <Stack gap="md">
      <SectionTitle of="Company" title="Teams">
        {can('COMPANIES_WRITE') && (
          <Button size="xs" onClick={() => setMaking(true)}>
            New team
          </Button>
        )}
      </SectionTitle>
      <Asked query={teams} what="teams">
        {(all) => <TeamTable teams={all} />}
      </Asked>
      {isMaking && <NewTeam onClose={() => setMaking(false)} />}
    </Stack>
  )
}

function TeamTable({ teams }: { readonly teams: readonly Team[] }) {
  const { api } = useApp()
  const { self, can } = useMe()
  const users = useQuery({
    ...companyUsersQuery(api, self.company_id),
    enabled: can('COMPANY_USERS_READ'),
  })
  if (teams.length === 0)
    return (
      <EmptyState title="No teams yet">
        Hosts and attacks belong to a team: make one, then join hosts to it.
      </EmptyState>
    )
  const membersOf = (id: string) =>
    users.data?.filter((user) => user.team_memberships.some((one) => one.identifier === id)).length
  return (
    <WideTable label="Teams of the company" minWidth={420}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Team</Table.Th>
          <Table.Th>Members</Table.Th>
          <Table.Th>Made</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {teams.map(({ identifier, name, createdAt }) => (
          <Table.Tr key={identifier}>
            <Table.Td className="temblor-given">
              <LinkText to="/company/teams/$id" params={{ id: identifier }} size="sm" fw={600}>
                {name}
              </LinkText>
            </Table.Td>
            <Table.Td className="temblor-number">{membersOf(identifier) ?? '–'}</Table.Td>
            <Table.Td>
              <RelativeTime at={createdAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

function NewTeam({ onClose }: { readonly onClose: () => void }) {
  const { api, queryClient } = useApp()
  const make = async (form: HTMLFormElement) => {
    const addUser = formText(form, 'joins') === 'yes' ? 'true' : 'false'
    await api.call(createOrg, { query: { addUser }, body: { name: formText(form, 'name').trim() } })
    await refreshTeams(queryClient)
    return undefined
  }
  return (
    <FormDialog
      title="New team"
      action="Make the team"
      fields={['name']}
      onClose={onClose}
      onSubmit={make}
    >
      {({ at }) => (
        <>
          <TextInput
            label="Name"
            name="name"
            required
            maxLength={100}
            error={at('name')}
            data-autofocus
          />
          <Checkbox name="joins" value="yes" label="I am in it myself" defaultChecked />
          <Text size="sm" c="dimmed">
            Who is in a team sees its hosts and attacks; to manage a team from here nobody has to be
            in it.
          </Text>
        </>
      )}
    </FormDialog>
  )
}
