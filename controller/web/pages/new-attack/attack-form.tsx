import { Grid, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Client } from '../../../../shared/api/clients.ts'
import type { AttackType } from '../../../../shared/attacks/define.ts'
import { findAttackType } from '../../../../shared/attacks/index.ts'
import { BlastRadius } from './blast-radius.tsx'
import { checkDraft, problemsOfAnswer } from './check-draft.ts'
import { requestOf, type Draft } from './draft.ts'
import type { FormPart } from './form-part.ts'
import { HowLong } from './how-long.tsx'
import { knownTargets } from './known-targets.ts'
import { SameAttack } from './same-attack.tsx'
import { StartButton } from './start-button.tsx'
import { usePreview } from './use-preview.ts'
import { useStart } from './use-start.ts'
import { What } from './what.tsx'
import { Who } from './who.tsx'

interface AttackFormProps {
  readonly teamId: string
  /** The hosts that are there. */
  readonly clients: readonly Client[]
  readonly first: Draft
}

/** The form of an attack. Nothing is started by Enter in a field: only by its one button. */
export function AttackForm({ teamId, clients, first }: AttackFormProps) {
  const [draft, setDraft] = useState(first)
  const change: FormPart['change'] = (part) => setDraft((now) => ({ ...now, ...part }))
  const type = findAttackType(draft.type) as AttackType
  const found = checkDraft(type, draft)
  const isSound = Object.keys(found).length === 0
  const body = isSound ? requestOf(type, draft) : undefined
  const preview = usePreview(teamId, body)
  const start = useStart(teamId, body)
  const problems = { ...problemsOfAnswer(type, start.error ?? preview.error), ...found }
  const part = { draft, type, problems, change }
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="md">
          <Who {...part} known={knownTargets(clients)} />
          <What {...part} />
          <HowLong {...part} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack gap="md" className="temblor-beside">
          <BlastRadius preview={preview} isSound={isSound}>
            <StartButton type={type} preview={preview} start={start} />
          </BlastRadius>
          <SameAttack teamId={teamId} type={type} draft={draft} body={body} />
        </Stack>
      </Grid.Col>
    </Grid>
  )
}
