import { Code, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ownSessionQuery } from '../../api/account.ts'
import { useApp } from '../../app-context.ts'
import { Card } from '../../parts/card.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { LinkText } from '../../parts/link-button.tsx'
import { Loading } from '../../parts/loading.tsx'
import { RelativeTime } from '../../parts/relative-time.tsx'
import { rolesWords } from '../../parts/role-words.ts'
import { SectionTitle } from '../../parts/section-title.tsx'
import { SignOut } from '../../shell/sign-out.tsx'

/** The session of this tab, and how all others are ended. */
export function SessionsPage() {
  const { api } = useApp()
  const { data, error, isPending, refetch } = useQuery(ownSessionQuery(api))
  return (
    <Stack gap="md">
      <SectionTitle of="Account" title="Sessions" />
      {isPending && <Loading what="your session" />}
      <ErrorText error={error} retry={() => void refetch()} />
      {data && (
        <Card title="This session" actions={<SignOut />}>
          <Text size="sm" className="temblor-given">
            {`Of ${data.identifier} in ${data.company_name}. `}
            Its present token ends <RelativeTime at={data.expires_at} />; while you work here it is
            renewed by itself, where your company allows that.
          </Text>
          <List size="sm">
            {data.teams.map(({ identifier, name, roles }) => (
              <List.Item key={identifier} className="temblor-given">
                {`${name}: ${rolesWords(roles)}`}
              </List.Item>
            ))}
          </List>
        </Card>
      )}
      <Card title="All your other sessions">
        <Text size="sm">
          The server does not tell one session of another. To end all but this one at once,{' '}
          <LinkText to="/account/profile" inherit underline="always">
            change your password
          </LinkText>
          : that also works when somebody else knows it. On the controller’s host{' '}
          <Code>temblor admin user end-sessions</Code> ends all of them.
        </Text>
      </Card>
    </Stack>
  )
}
