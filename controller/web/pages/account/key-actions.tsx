import { Button, NativeSelect, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import {
  activateApiKey,
  revokeApiKey,
  setApiKeyExpiration,
  type ApiKey,
} from '../../../../shared/api/api-keys.ts'
import { wordsOf } from '../../api/error-words.ts'
import { useApp } from '../../app-context.ts'
import { ConfirmDanger } from '../../parts/confirm-danger.tsx'
import { endOf, lifetimes } from '../../parts/key-lifetimes.ts'
import { useMe } from '../../shell/me.tsx'
import { useKeyRules } from './use-key-rules.ts'

interface KeyActionsProps {
  readonly apiKey: ApiKey
}

/** What can be done with an own key. */
export function KeyActions({ apiKey }: KeyActionsProps) {
  const { api, queryClient } = useApp()
  const { can } = useMe()
  const [isRevoking, setRevoking] = useState(false)
  const params = { keyId: apiKey.id }
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['keys'] })
  const reinstate = useMutation({
    mutationFn: () => api.call(activateApiKey, { params }),
    onSuccess: refresh,
    onError: complain,
  })
  if (!can('API_KEYS_WRITE')) return null
  if (apiKey.state === 'REVOKED')
    return (
      <Button
        size="compact-xs"
        variant="default"
        loading={reinstate.isPending}
        aria-label={`Reinstate ${apiKey.identifier}`}
        onClick={() => reinstate.mutate()}
      >
        Reinstate
      </Button>
    )
  return (
    <>
      <ExpiryChoice apiKey={apiKey} />
      <Button
        size="compact-xs"
        variant="default"
        c="var(--mantine-color-error)"
        aria-label={`Revoke ${apiKey.identifier}`}
        onClick={() => setRevoking(true)}
      >
        Revoke
      </Button>
      <ConfirmDanger
        isOpen={isRevoking}
        onClose={() => setRevoking(false)}
        title={`Revoke the key ${apiKey.identifier}?`}
        action="Revoke it"
        onConfirm={async () => {
          await api.call(revokeApiKey, { params })
          await refresh()
        }}
      >
        <Text size="sm">
          Whatever uses it is refused from its next request on. It can be reinstated.
        </Text>
      </ConfirmDanger>
    </>
  )
}

function ExpiryChoice({ apiKey }: KeyActionsProps) {
  const { api, queryClient } = useApp()
  const { limitSeconds } = useKeyRules()
  const work = useMutation({
    mutationFn: async (choice: string) => {
      const expiresAt = endOf(choice, Date.now())
      const query = expiresAt === undefined ? {} : { expiresAt }
      await api.call(setApiKeyExpiration, { params: { keyId: apiKey.id }, query })
      await queryClient.invalidateQueries({ queryKey: ['keys'] })
    },
    onError: complain,
  })
  return (
    <NativeSelect
      size="xs"
      w="9.5rem"
      aria-label={`When ${apiKey.identifier} expires`}
      value=""
      disabled={work.isPending}
      onChange={(event) => work.mutate(event.currentTarget.value)}
      data={[{ value: '', label: 'Expires as set', disabled: true }, ...lifetimes(limitSeconds)]}
    />
  )
}

function complain(error: unknown): void {
  notifications.show({ color: 'red', message: wordsOf(error) })
}
