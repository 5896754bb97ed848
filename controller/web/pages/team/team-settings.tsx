import { Button, Group, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { updateTeam } from '../../../../shared/api/teams.ts'
import { useApp } from '../../app-context.ts'
import { Card } from '../../parts/card.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { fieldErrors } from '../../parts/field-errors.ts'
import { formText } from '../../parts/form-text.ts'
import { NotAllowed } from '../../parts/allowed.tsx'
import { usePlace } from '../../shell/use-place.ts'
import { DeleteTeam } from './delete-team.tsx'
import { refreshTeams } from './refresh-teams.ts'
import type { TeamOf } from './team-of.ts'

interface TeamSettingsProps {
  readonly team: TeamOf
  readonly onDeleted: () => void
}

/** The name of a team, and its end. */
export function TeamSettings({ team, onDeleted }: TeamSettingsProps) {
  const { can } = usePlace(team.identifier)
  const mayRename = can('TEAMS_WRITE') || can('COMPANIES_WRITE')
  return (
    <Stack gap="md">
      {mayRename ? <RenameTeam team={team} /> : <NotAllowed privilege="TEAMS_WRITE" />}
      {can('COMPANIES_WRITE') && <DeleteTeam team={team} onDeleted={onDeleted} />}
    </Stack>
  )
}

function RenameTeam({ team }: { readonly team: TeamOf }) {
  const { api, queryClient } = useApp()
  const work = useMutation({
    mutationFn: async (name: string) => {
      await api.call(updateTeam, { params: { team: team.identifier }, body: { name } })
      await refreshTeams(queryClient)
      notifications.show({ message: 'The team is renamed.' })
    },
  })
  const errors = fieldErrors(work.error, ['name'])
  // A name that is taken names no field: there is only the one.
  const atName = errors.at('name')
  return (
    <Card title="Name" intro="Hosts and sessions stay: they know the team by its id.">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          work.mutate(formText(event.currentTarget, 'name').trim())
        }}
      >
        <Stack gap="sm" maw={480}>
          <TextInput
            label="Name of the team"
            name="name"
            required
            maxLength={100}
            defaultValue={team.name}
            error={atName}
          />
          <ErrorText error={errors.rest} />
          <Group>
            <Button type="submit" size="xs" variant="default" loading={work.isPending}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
