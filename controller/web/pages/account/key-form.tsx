import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { createApiKey } from '../../../../shared/api/api-keys.ts'
import { useApp } from '../../app-context.ts'
import { CopyLine } from '../../parts/copy-line.tsx'
import type { FieldErrors } from '../../parts/field-errors.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { formText } from '../../parts/form-text.ts'
import { endOf, lifetimes } from '../../parts/key-lifetimes.ts'
import { useMe } from '../../shell/me.tsx'
import { useKeyRules } from './use-key-rules.ts'

const fields = ['identifier', 'description', 'expiresAt', 'teamId']

/** Makes a key, and shows it once. */
export function KeyForm({ onClose }: { readonly onClose: () => void }) {
  const { api, queryClient } = useApp()
  const [key, setKey] = useState<string>()
  if (key !== undefined) return <NewKey apiKey={key} onClose={onClose} />
  const make = async (form: HTMLFormElement) => {
    const [identifier = '', description = '', choice = '', teamId = ''] = fields.map((name) =>
      formText(form, name),
    )
    const body = {
      identifier,
      description: description || null,
      expiresAt: endOf(choice, Date.now()) ?? null,
      teamId: teamId || null,
    }
    setKey(await api.call(createApiKey, { body }))
    await queryClient.invalidateQueries({ queryKey: ['keys'] })
    return 'stay' as const
  }
  return (
    <FormDialog
      title="New key"
      action="Make the key"
      fields={fields}
      onClose={onClose}
      onSubmit={make}
    >
      {(errors) => <KeyFields errors={errors} />}
    </FormDialog>
  )
}

function KeyFields({ errors }: { readonly errors: FieldErrors }) {
  const { teams, team } = useMe()
  const { limitSeconds } = useKeyRules()
  return (
    <>
      <TextInput
        label="Name"
        name="identifier"
        description="Letters, digits, spaces and hyphens."
        required
        maxLength={100}
        error={errors.at('identifier')}
        data-autofocus
      />
      <TextInput
        label="What for"
        name="description"
        maxLength={256}
        error={errors.at('description')}
      />
      <NativeSelect
        label="Expires"
        name="expiresAt"
        data={lifetimes(limitSeconds)}
        error={errors.at('expiresAt')}
      />
      <NativeSelect
        label="Team"
        name="teamId"
        description="Where it works, unless a request names another of your teams."
        data={[
          ...teams.map(({ identifier, name }) => ({ value: identifier, label: name })),
          { value: '', label: 'Your oldest team' },
        ]}
        defaultValue={team?.identifier ?? ''}
        error={errors.at('teamId')}
      />
    </>
  )
}

function NewKey({ apiKey, onClose }: { readonly apiKey: string; readonly onClose: () => void }) {
  const example = `curl -sS ${location.origin}/v1/attacks -H "Authorization: Key ${apiKey}"`
  return (
    <Modal
      opened
      onClose={onClose}
      title="Your new key"
      size="lg"
      centered
      // What is shown once is not closed by a slip of the hand.
      closeOnClickOutside={false}
      closeOnEscape={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        <Text size="sm">Copy it now: it is not shown again, and nobody can look it up.</Text>
        <CopyLine label="Key" text={apiKey} />
        <Text size="sm">Used like this:</Text>
        <CopyLine label="Example" text={example} />
        <Group justify="flex-end">
          <Button onClick={onClose}>I have kept it</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
