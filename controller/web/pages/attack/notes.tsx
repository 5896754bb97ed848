import { Button, Group, Stack, Text, Textarea, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { annotateAttack } from '../../../../shared/api/attacks.ts'
import type { Attack } from '../../../../shared/api/records.ts'
import { applyAttacks } from '../../api/attacks.ts'
import { useApp } from '../../app-context.ts'
import { ErrorText } from '../../parts/error-text.tsx'
import { formText } from '../../parts/form-text.ts'
import { useMe } from '../../shell/me.tsx'

/** What the API takes. */
const maxCharacters = 20_000

/** What people, and jobs, have noted on an attack. */
export function Notes({ attack }: { readonly attack: Attack }) {
  const { can } = useMe()
  const [isEditing, setEditing] = useState(false)
  const { notes, otherAnnotations, metrics } = attack.annotations ?? {}
  const others = Object.entries({ ...otherAnnotations, ...metrics })
  const canWrite = can('EXPERIMENTS_RUN')
  if (!canWrite && !notes && others.length === 0) return null
  return (
    <section aria-label="Notes">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Notes</Title>
        {canWrite && !isEditing && (
          <Button variant="default" size="compact-sm" onClick={() => setEditing(true)}>
            {notes ? 'Change the note' : 'Note something'}
          </Button>
        )}
      </Group>
      {isEditing ? (
        <NoteForm attack={attack} onDone={() => setEditing(false)} />
      ) : (
        <Text size="sm" c={notes ? undefined : 'dimmed'} className="temblor-given temblor-lines">
          {notes || 'What was expected, what was seen, what follows from it.'}
        </Text>
      )}
      {others.map(([name, value]) => (
        <Text key={name} size="sm" className="temblor-given">
          {`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`}
        </Text>
      ))}
    </section>
  )
}

function NoteForm({ attack, onDone }: { readonly attack: Attack; readonly onDone: () => void }) {
  const { api, queryClient } = useApp()
  const work = useMutation({
    mutationFn: (notes: string) =>
      api.call(annotateAttack, {
        params: { guid: attack.guid },
        query: { teamId: attack.owning_team_id },
        body: { notes },
      }),
    onSuccess: (changed) => {
      applyAttacks(queryClient, [changed])
      onDone()
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        work.mutate(formText(event.currentTarget, 'note'))
      }}
    >
      <Stack gap="xs">
        <Textarea
          label="Note"
          description="Shown to everybody in the team."
          name="note"
          autosize
          minRows={3}
          maxRows={12}
          maxLength={maxCharacters}
          defaultValue={attack.annotations?.notes ?? ''}
          data-autofocus
        />
        <ErrorText error={work.error} />
        <Group gap="xs">
          <Button type="submit" size="xs" loading={work.isPending}>
            Save
          </Button>
          <Button variant="default" size="xs" onClick={onDone}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
