import { Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { SectionTitle } from '../../parts/section-title.tsx'
import { TeamPage } from '../../shell/me.tsx'
import { Joining } from './joining.tsx'
import { Members } from './members.tsx'
import { TeamKeys } from './team-keys.tsx'
import { TeamSettings } from './team-settings.tsx'

/** Who is in the team. */
export function MembersPage() {
  return <TeamPage>{(team) => <Members key={team.identifier} team={team} page="Team" />}</TeamPage>
}

/** How hosts join the team. */
export function JoiningPage() {
  return (
    <TeamPage>
      {(team) => (
        <Stack gap="md">
          <SectionTitle of="Team" title="Joining hosts" />
          <Joining key={team.identifier} team={team} />
        </Stack>
      )}
    </TeamPage>
  )
}

/** The keys that work in the team. */
export function TeamKeysPage() {
  return <TeamPage>{(team) => <TeamKeys key={team.identifier} team={team} />}</TeamPage>
}

/** What can be set of the team. */
export function TeamSettingsPage() {
  const navigate = useNavigate()
  return (
    <TeamPage>
      {(team) => (
        <Stack gap="md">
          <SectionTitle of="Team" title="Settings" />
          <TeamSettings
            key={team.identifier}
            team={team}
            onDeleted={() => void navigate({ to: '/attacks', search: { team: undefined } })}
          />
        </Stack>
      )}
    </TeamPage>
  )
}
