import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { readClientInstall } from '../../../shared/api/teams.ts'
import { useApp } from '../app-context.ts'
import { useMe } from '../shell/me.tsx'
import { CopyLine } from './copy-line.tsx'
import { ErrorText } from './error-text.tsx'

/** The lines with which a host joins the team; shown when asked for, as they hold its secret. */
export function AddHost({ teamId }: { readonly teamId: string }) {
  const { api } = useApp()
  const { can } = useMe()
  const settings = useMutation({
    mutationFn: () => api.call(readClientInstall, { query: { teamId } }),
  })
  if (!can('TEAM_SECURITY_READ'))
    return (
      <Text size="sm">
        The line that adds a host holds the secret of the team. Ask somebody with the role
        TEAM_MANAGER or TEAM_CREDENTIAL_MANAGER for it.
      </Text>
    )
  if (!settings.data)
    return (
      <>
        <ErrorText error={settings.error} />
        <Button size="xs" loading={settings.isPending} onClick={() => settings.mutate()}>
          Show the lines that add a host
        </Button>
      </>
    )
  return (
    <Stack gap="xs" w="100%">
      <Text size="sm">
        On the host, with Node 20 or later, in a copy of Temblor. The first line holds the secret of
        the team: who has it can join hosts to it.
      </Text>
      <CopyLine
        label="Join the team"
        text={`npm ci\necho '${settings.data.TEMBLOR_JOIN}' | sudo npx temblor init`}
      />
      <Text size="sm">Then start the agent, as a service of systemd:</Text>
      <CopyLine label="Start the agent" text="sudo npx temblor agent install" />
      <Text size="sm">
        or by hand with <code>sudo npx temblor agent run</code>. It dials out to this controller;
        nothing has to be let in on the host.
      </Text>
    </Stack>
  )
}
