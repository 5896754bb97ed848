import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { teamsQuery } from '../../../api/company.ts'
import { useApp } from '../../../app-context.ts'
import { Asked } from '../../../parts/asked.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { LinkText } from '../../../parts/link-button.tsx'
import { Joining } from '../../team/joining.tsx'
import { Members } from '../../team/members.tsx'
import type { TeamOf } from '../../team/team-of.ts'
import { TeamSettings } from '../../team/team-settings.tsx'

const page = getRouteApi('/shell/company/teams/$id')

/** One team of the company, also for who looks after it without being in it. */
export function CompanyTeamPage() {
  const { api } = useApp()
  const { id } = page.useParams()
  const teams = useQuery(teamsQuery(api))
  return (
    <Stack gap="md">
      <LinkText to="/company/teams" size="sm">
        All teams
      </LinkText>
      <Asked query={teams} what="the team">
        {(all) => <Found key={id} team={all.find(({ identifier }) => identifier === id)} />}
      </Asked>
    </Stack>
  )
}

function Found({ team }: { readonly team: TeamOf | undefined }) {
  const navigate = useNavigate()
  if (!team)
    return (
      <EmptyState title="No such team">
        It may have been deleted. The audit knows by whom, and when.
      </EmptyState>
    )
  return (
    <>
      <Text fw={600} className="temblor-given">
        {team.name}
      </Text>
      <Members team={team} page="Company" />
      <Joining team={team} />
      <TeamSettings
        key={team.name}
        team={team}
        onDeleted={() => void navigate({ to: '/company/teams' })}
      />
    </>
  )
}
