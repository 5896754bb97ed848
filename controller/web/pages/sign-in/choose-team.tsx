import { Button, Stack } from '@mantine/core'
import type { Session } from '../../../../shared/api/sessions.ts'

interface ChooseTeamProps {
  readonly teams: Session['teams']
  readonly onChoose: (teamId: string) => void
}

/** The team that is looked at first. */
export function ChooseTeam({ teams, onChoose }: ChooseTeamProps) {
  return (
    <Stack gap="sm">
      {teams.map(({ identifier, name }) => (
        <Button key={identifier} variant="default" onClick={() => onChoose(identifier)}>
          {name}
        </Button>
      ))}
    </Stack>
  )
}
