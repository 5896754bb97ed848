import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { findAttackType } from '../../../../shared/attacks/index.ts'
import { attackQuery } from '../../api/attacks.ts'
import { clientsQuery } from '../../api/clients.ts'
import { useApp } from '../../app-context.ts'
import { AddHost } from '../../parts/add-host.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { Loading } from '../../parts/loading.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { TeamPage, useMe } from '../../shell/me.tsx'
import { AttackForm } from './attack-form.tsx'
import { draftOfAttack } from './draft-of-attack.ts'
import { emptyDraft, type Draft } from './draft.ts'
import type { Filling } from './route.ts'

const page = getRouteApi('/shell/attacks/new')

/** Who is hit, by what, for how long; beside it whom that reaches at this moment. */
export function NewAttackPage() {
  const { can } = useMe()
  return (
    <>
      <PageTitle title="New attack" />
      <TeamPage>
        {(team) =>
          can('EXPERIMENTS_RUN') ? (
            <FilledForm key={team.identifier} teamId={team.identifier} />
          ) : (
            <EmptyState title="You may not attack in this team">
              {`Attacks need the role TEAM_USER or TEAM_MANAGER in ${team.name}; its managers give it.`}
            </EmptyState>
          )
        }
      </TeamPage>
    </>
  )
}

function FilledForm({ teamId }: { readonly teamId: string }) {
  const { api } = useApp()
  const filling = page.useSearch()
  const clients = useQuery(clientsQuery(api, teamId))
  const model = useQuery({
    ...attackQuery(api, teamId, filling.from ?? ''),
    enabled: filling.from !== undefined,
  })
  if (clients.isPending) return <Loading what="hosts" />
  if (!clients.data) return <ErrorText error={clients.error} retry={() => void clients.refetch()} />
  if (model.isLoading) return <Loading what="the attack to run again" />
  const { active, idle } = clients.data
  if (active.length + idle.length === 0) return <NoHost teamId={teamId} />
  return (
    <>
      <ErrorText error={model.error} retry={() => void model.refetch()} />
      <AttackForm
        key={JSON.stringify(filling)}
        teamId={teamId}
        clients={active}
        first={model.data ? draftOfAttack(model.data) : draftOf(filling)}
      />
    </>
  )
}

function draftOf({ type, host, container }: Filling): Draft {
  const known = type === undefined ? undefined : findAttackType(type)
  return {
    ...emptyDraft,
    ...(known ? { type: known.type } : {}),
    ...(host === undefined ? {} : { choice: 'Exact', hosts: [host] }),
    ...(container === undefined
      ? {}
      : { kind: 'Container', choice: 'Exact', unit: 'containers', containers: [container] }),
  }
}

function NoHost({ teamId }: { readonly teamId: string }) {
  return (
    <EmptyState title="There is no host to attack yet">
      <Text>
        An attack is carried out by an agent on the host that it hits. Add the first host; this page
        notices it by itself.
      </Text>
      <AddHost teamId={teamId} />
    </EmptyState>
  )
}
