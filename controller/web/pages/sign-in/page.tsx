import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { readSetup } from '../../../../shared/api/setup.ts'
import type { Session } from '../../../../shared/api/sessions.ts'
import type { Credentials, Standing } from '../../api/sign-in.ts'
import { useApp } from '../../app-context.ts'
import { SignInFrame } from '../../parts/sign-in-frame.tsx'
import { toKept } from '../../session/kept-session.ts'
import { rememberChoice } from '../../session/last-choices.ts'
import { safeReturn } from '../../session/return-path.ts'
import { ChooseCompany } from './choose-company.tsx'
import { ChooseTeam } from './choose-team.tsx'
import { CodeStep } from './code-step.tsx'
import { EnrolStep } from './enrol-step.tsx'
import { SetupStep } from './setup-step.tsx'
import { PasswordStep } from './password-step.tsx'

const page = getRouteApi('/sign-in')

/** What has been given so far, and where that leads. */
interface Progress {
  readonly given: Credentials
  readonly standing: Standing
}

const titles = {
  company: 'Which company?',
  code: 'Second factor',
  enrol: 'Set up a second factor',
  in: 'Which team?',
} as const

/** Signing in, step by step. */
export function SignInPage() {
  const { api, sessions } = useApp()
  const { return: wanted } = page.useSearch()
  const [progress, setProgress] = useState<Progress>()
  const enter = (session: Session, team?: string) => {
    rememberChoice('company', session.company_name)
    if (team !== undefined) rememberChoice('team', team)
    // Whoever has a session is led on from here.
    sessions.begin(toKept(session))
  }
  const goOn = (standing: Standing, given: Credentials) => {
    // A place that was asked for says which team.
    const hasChoice = standing.kind === 'in' && standing.session.teams.length > 1 && !wanted
    if (standing.kind === 'in' && !hasChoice) enter(standing.session)
    else setProgress({ standing, given })
  }
  const { data: setup } = useQuery({
    queryKey: ['setup'],
    queryFn: ({ signal }) => api.anonymous.call(readSetup, { signal }),
    staleTime: Infinity,
  })
  const first = setup?.needed ? 'Make the first owner' : 'Sign in'
  return (
    <SignInFrame title={progress ? titles[progress.standing.kind] : first}>
      {progress ? (
        <NextStep
          {...progress}
          onDone={goOn}
          onTeam={enter}
          onBack={() => setProgress(undefined)}
        />
      ) : setup?.needed ? (
        <SetupStep onDone={goOn} />
      ) : (
        <PasswordStep destination={safeReturn(wanted)} onDone={goOn} />
      )}
    </SignInFrame>
  )
}

interface NextStepProps extends Progress {
  readonly onDone: (standing: Standing, given: Credentials) => void
  readonly onTeam: (session: Session, teamId: string) => void
  readonly onBack: () => void
}

function NextStep({ given, standing, onDone, onTeam, onBack }: NextStepProps) {
  const step = { given, onDone, onBack }
  if (standing.kind === 'company') return <ChooseCompany {...step} names={standing.names} />
  if (standing.kind === 'code') return <CodeStep {...step} ticket={standing.ticket} />
  if (standing.kind === 'enrol') return <EnrolStep {...step} ticket={standing.ticket} />
  const { session } = standing
  return <ChooseTeam teams={session.teams} onChoose={(team) => onTeam(session, team)} />
}
