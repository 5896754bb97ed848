import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { activateClient, revokeClient, type Client } from '../../../../shared/api/clients.ts'
import { useApp } from '../../app-context.ts'
import { ConfirmDanger } from '../../parts/confirm-danger.tsx'
import { countWords } from '../../parts/count-words.ts'
import { useMe } from '../../shell/me.tsx'

/** Cuts a host off, or lets it come back. Nothing without the right to. */
export function AccessButton({
  teamId,
  client,
}: {
  readonly teamId: string
  readonly client: Client
}) {
  const { api, queryClient } = useApp()
  const { can } = useMe()
  const [isOpen, setOpen] = useState(false)
  if (!can('CLIENTS_WRITE')) return null
  const { identifier, state } = client
  const isRevoked = state === 'REVOKED'
  const change = async () => {
    await api.call(isRevoked ? activateClient : revokeClient, {
      params: { identifier },
      query: { teamId },
    })
    await queryClient.invalidateQueries({ queryKey: ['clients', teamId] })
  }
  return (
    <>
      <Button
        variant="default"
        c={isRevoked ? undefined : 'var(--mantine-color-error)'}
        size="xs"
        onClick={() => setOpen(true)}
      >
        {isRevoked ? 'Activate' : 'Revoke'}
      </Button>
      <ConfirmDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={isRevoked ? 'Activate this host again?' : 'Revoke this host?'}
        action={isRevoked ? 'Activate' : 'Revoke'}
        onConfirm={change}
      >
        <Text fw={600} className="temblor-given">
          {identifier}
        </Text>
        <Text size="sm">{isRevoked ? comesBack : wordsOfRevoking(client)}</Text>
      </ConfirmDanger>
    </>
  )
}

const comesBack = 'Its agent may connect again, and attacks may hit it.'

function wordsOfRevoking({ running_executions: running }: Client): string {
  const what =
    running.length > 0 ? `The ${countWords(running.length, 'attack')} that it runs will end. ` : ''
  return `Its agent is cut off at once. ${what}No attack hits it until somebody activates it again.`
}
