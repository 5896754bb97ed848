import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { attackQuery, executionsQuery } from '../../api/attacks.ts'
import { useApp } from '../../app-context.ts'
import { ErrorText } from '../../parts/error-text.tsx'
import { Loading } from '../../parts/loading.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { RunAgain } from '../../parts/run-again.tsx'
import { TeamPage } from '../../shell/me.tsx'
import { AttackFacts } from './attack-facts.tsx'
import { EffectChart } from './effect-chart.tsx'
import { HaltButton } from './halt-button.tsx'
import { Notes } from './notes.tsx'
import { TargetList } from './target-list.tsx'

const page = getRouteApi('/shell/attacks/$id')

/** One attack: what was asked, what is measured, and how each target moves. Live. */
export function AttackPage() {
  const { id } = page.useParams()
  return <TeamPage>{(team) => <LiveAttack key={id} teamId={team.identifier} id={id} />}</TeamPage>
}

function LiveAttack({ teamId, id }: { readonly teamId: string; readonly id: string }) {
  const { api } = useApp()
  const attack = useQuery(attackQuery(api, teamId, id))
  const executions = useQuery(executionsQuery(api, teamId, id))
  const targets = executions.data ?? []
  return (
    <>
      <PageTitle title={attack.data ? `Attack: ${attack.data.command_type}` : 'Attack'}>
        {attack.data && <RunAgain id={id} />}
        {attack.data && <HaltButton attack={attack.data} />}
      </PageTitle>
      <Stack gap="lg">
        <ErrorText
          error={attack.error ?? executions.error}
          retry={() => void Promise.all([attack.refetch(), executions.refetch()])}
        />
        {attack.isPending && <Loading what="the attack" />}
        {attack.data && <AttackFacts attack={attack.data} />}
        {attack.data && <EffectChart teamId={teamId} attack={attack.data} />}
        {attack.data && <TargetList attack={attack.data} executions={targets} />}
        {attack.data && <Notes attack={attack.data} />}
      </Stack>
    </>
  )
}
