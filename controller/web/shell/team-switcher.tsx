import { NativeSelect } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { rememberChoice } from '../session/last-choices.ts'
import { useMe } from './me.tsx'

const shell = getRouteApi('/shell')

/** The team that is looked at; with several, another can be chosen. It is part of the address. */
export function TeamSwitcher() {
  const { teams, team } = useMe()
  const navigate = useNavigate()
  const { team: named } = shell.useSearch()
  const shown = teams.length < 2 ? undefined : team?.identifier
  useEffect(() => {
    // So that a link that is copied leads others to the same.
    if (shown !== undefined && named !== shown)
      void navigate({ to: '.', search: (now) => ({ ...now, team: shown }), replace: true })
  }, [navigate, named, shown])
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
