import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Privilege } from '../../../shared/roles.ts'
import { privilegesIn, selfQuery, type MyTeam, type Self } from '../api/self.ts'
import { useApp } from '../app-context.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { lastChoice } from '../session/last-choices.ts'

/** Who looks at the page. */
export interface Me {
  readonly self: Self
  readonly teams: readonly MyTeam[]
  /** The team that is looked at; none for who is in no team. */
  readonly team: MyTeam | undefined
  /** Whether they may, in that team and in the company. The server decides; this spares them a refusal. */
  readonly can: (privilege: Privilege) => boolean
}

const shell = getRouteApi('/shell')

/** Who is signed in, and the team of the address. */
export function useMe(): Me {
  const { api } = useApp()
  const { data: self } = useSuspenseQuery(selfQuery(api))
  const wanted = [shell.useSearch().team, lastChoice('team')]
  const teams = self.team_memberships
  const team =
    wanted
      .map((id) => teams.find(({ identifier }) => identifier === id))
      .find((one) => one !== undefined) ?? teams[0]
  const privileges = privilegesIn(self, team)
  return { self, teams, team, can: (privilege) => privileges.has(privilege) }
}

/** A page of a team; who is in none reads how that changes. */
export function TeamPage({ children }: { readonly children: (team: MyTeam) => ReactNode }) {
  const { team } = useMe()
  if (team) return <>{children(team)}</>
  return (
    <EmptyState title="You are in no team yet">
      Hosts and attacks belong to teams. Ask a manager of your company to add you to one.
    </EmptyState>
  )
}
