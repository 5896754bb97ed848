import { Button, Group, NumberInput, Stack, Switch, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import {
  setAuthPreferences,
  type AuthPreferences,
} from '../../../../../shared/api/auth-preferences.ts'
import { useApp } from '../../../app-context.ts'
import { Card } from '../../../parts/card.tsx'
import { ErrorText } from '../../../parts/error-text.tsx'
import { fieldErrors, type FieldErrors } from '../../../parts/field-errors.ts'
import { useMe } from '../../../shell/me.tsx'
import { changesBetween, flagGroups } from './preference-words.ts'

interface PreferencesFormProps {
  readonly companyId: string
  readonly present: AuthPreferences
}

const daySeconds = 86_400

/** The preferences, changed together; what would lock everybody out the API refuses, and says why. */
export function PreferencesForm({ companyId, present }: PreferencesFormProps) {
  const { api, queryClient } = useApp()
  const { can } = useMe()
  const [wanted, setWanted] = useState(present)
  const changes = changesBetween(present, wanted)
  const work = useMutation({
    mutationFn: async () => {
      await api.call(setAuthPreferences, { params: { companyId }, body: changes })
      await queryClient.invalidateQueries({ queryKey: ['company'] })
      notifications.show({ message: 'The preferences are saved. They hold from now on.' })
    },
  })
  const errors = fieldErrors(work.error, Object.keys(present))
  const mayWrite = can('COMPANY_SECURITY_WRITE')
  const change = (part: Partial<AuthPreferences>) => setWanted({ ...wanted, ...part })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        work.mutate()
      }}
    >
      <Stack gap="md">
        <Groups wanted={wanted} mayWrite={mayWrite} errors={errors} onChange={change} />
        <ErrorText error={errors.rest} />
        {mayWrite ? (
          <Group>
            <Button
              type="submit"
              loading={work.isPending}
              disabled={Object.keys(changes).length === 0}
            >
              Save the preferences
            </Button>
            <Button
              variant="default"
              disabled={Object.keys(changes).length === 0}
              onClick={() => setWanted(present)}
            >
              As they were
            </Button>
          </Group>
        ) : (
          <Text size="sm">To change them takes the privilege COMPANY_SECURITY_WRITE.</Text>
        )}
      </Stack>
    </form>
  )
}

interface GroupsProps {
  readonly wanted: AuthPreferences
  readonly mayWrite: boolean
  readonly errors: FieldErrors
  readonly onChange: (part: Partial<AuthPreferences>) => void
}

function Groups({ wanted, mayWrite, errors, onChange }: GroupsProps) {
  return flagGroups.map(([title, flags]) => (
    <Card key={title} title={title}>
      {flags.map(([name, label, hint]) => (
        <Switch
          key={name}
          label={label}
          description={hint}
          checked={wanted[name]}
          disabled={!mayWrite}
          error={errors.at(name)}
          onChange={(event) => onChange({ [name]: event.currentTarget.checked })}
        />
      ))}
      {title === 'How long a session lasts' && (
        <NumberInput
          label="Minutes that a session lasts"
          description="5 to 720; of effect while sessions are not renewed."
          maw={320}
          min={5}
          max={720}
          clampBehavior="none"
          disabled={!mayWrite || wanted.allowSessionRenewal}
          value={wanted.sessionDuration}
          error={errors.at('sessionDuration')}
          onChange={(minutes) => onChange({ sessionDuration: Number(minutes) })}
        />
      )}
      {title === 'API keys' && (
        <NumberInput
          label="Days until a new key expires"
          maw={320}
          min={1}
          max={3650}
          clampBehavior="none"
          disabled={!mayWrite || !wanted.apiKeysMaxSecondsToExpireEnabled}
          value={wanted.apiKeysMaxSecondsToExpire / daySeconds}
          error={errors.at('apiKeysMaxSecondsToExpire')}
          onChange={(days) =>
            onChange({ apiKeysMaxSecondsToExpire: Math.round(Number(days) * daySeconds) })
          }
        />
      )}
    </Card>
  ))
}
