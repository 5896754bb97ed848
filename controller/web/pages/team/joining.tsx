import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { readTeamInstall, resetTeamSecret } from '../../../../shared/api/teams.ts'
import { useApp } from '../../app-context.ts'
import { NotAllowed } from '../../parts/allowed.tsx'
import { Card } from '../../parts/card.tsx'
import { ConfirmDanger } from '../../parts/confirm-danger.tsx'
import { CopyLine } from '../../parts/copy-line.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { usePlace } from '../../shell/use-place.ts'
import { SecretAge } from './secret-age.tsx'
import type { TeamOf } from './team-of.ts'

/** The id, the secret with which hosts join, and what stands in place of certificates. */
export function Joining({ team }: { readonly team: TeamOf }) {
  const { can } = usePlace(team.identifier)
  return (
    <Stack gap="md">
      <Card title="Team id" intro="Scripts and requests name the team by it; it never changes.">
        <CopyLine label="Id to copy" text={team.identifier} />
      </Card>
      {can('TEAM_SECURITY_READ') ? (
        <JoinLine team={team} />
      ) : (
        <NotAllowed privilege="TEAM_SECURITY_READ" />
      )}
      <Card title="Certificates">
        <Text size="sm">
          Teams have no certificate here: each host gets one of its own when it joins, good for 30
          days and renewed by itself. To shut one host out, revoke it under Clients; to let no more
          in with the present secret, replace the secret.
        </Text>
      </Card>
    </Stack>
  )
}

function JoinLine({ team }: { readonly team: TeamOf }) {
  const { api, queryClient } = useApp()
  const { can } = usePlace(team.identifier)
  const [isReplacing, setReplacing] = useState(false)
  const params = { team: team.identifier }
  const shown = useMutation({ mutationFn: () => api.call(readTeamInstall, { params }) })
  return (
    <Card
      title="Secret"
      intro="Whoever has it can join a host to this team, and that host then obeys the team. It lets nobody sign in. Showing it is noted in the audit."
      actions={
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={shown.isPending}
            onClick={() => (shown.data ? shown.reset() : shown.mutate())}
          >
            {shown.data ? 'Hide the join line' : 'Show the join line'}
          </Button>
          {can('TEAM_SECURITY_WRITE') && (
            <Button
              size="xs"
              variant="default"
              c="var(--mantine-color-error)"
              onClick={() => setReplacing(true)}
            >
              Replace the secret
            </Button>
          )}
        </Group>
      }
    >
      <SecretAge teamId={team.identifier} />
      <ErrorText error={shown.error} />
      {shown.data && <ShownLine settings={shown.data} />}
      <ConfirmDanger
        isOpen={isReplacing}
        onClose={() => setReplacing(false)}
        title={`Replace the secret of ${team.name}?`}
        action="Replace it"
        onConfirm={async () => {
          await api.call(resetTeamSecret, { params })
          await Promise.all([
            shown.mutateAsync(),
            queryClient.invalidateQueries({ queryKey: ['team', team.identifier] }),
          ])
        }}
      >
        <Text size="sm">
          The old secret joins no host any more: scripts and images that hold it need the new one.
          Hosts that have joined stay.
        </Text>
      </ConfirmDanger>
    </Card>
  )
}

function ShownLine({ settings }: { readonly settings: { readonly TEMBLOR_JOIN: string } }) {
  return (
    <>
      <CopyLine label="Join line" text={settings.TEMBLOR_JOIN} />
      <Text size="sm">
        On a host with systemd, as root, <Code>temblor agent install</Code> takes it as{' '}
        <Code>TEMBLOR_JOIN</Code>; elsewhere it goes into <Code>/etc/temblor/agent.json</Code>:
      </Text>
      <CopyLine label="Settings of an agent" text={JSON.stringify(settings)} />
    </>
  )
}
