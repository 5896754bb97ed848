import { NativeSelect } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { rememberChoice } from '../session/last-choices.ts'
import { useMe } from './me.tsx'

/** The team that is looked at; with several, another can be chosen. It is part of the address. */
export function TeamSwitcher() {
  const { teams, team } = useMe()
  const navigate = useNavigate()
  if (teams.length < 2 || !team) return null
  const choose = (id: string) => {
    rememberChoice('team', id)
    // What is open belongs to the team that was looked at.
    void navigate({ to: '/attacks', search: { team: id } })
  }
  return (
    <NativeSelect
      aria-label="Team"
      size="xs"
      w={{ base: '8rem', sm: '14rem' }}
      value={team.identifier}
      onChange={(event) => choose(event.currentTarget.value)}
      data={teams.map(({ identifier, name }) => ({ value: identifier, label: name }))}
    />
  )
}
