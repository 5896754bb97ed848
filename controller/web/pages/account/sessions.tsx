import { Button, Group, List, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  endOtherSessions,
  endSession,
  type SessionEntry,
} from '../../../../shared/api/own-sessions.ts'
import { ownSessionQuery, sessionsQuery } from '../../api/account.ts'
import { useApp } from '../../app-context.ts'
import { Asked } from '../../parts/asked.tsx'
import { Card } from '../../parts/card.tsx'
import { ConfirmDanger } from '../../parts/confirm-danger.tsx'
import { countWords } from '../../parts/count-words.ts'
import { RelativeTime } from '../../parts/relative-time.tsx'
import { rolesWords } from '../../parts/role-words.ts'
import { SectionTitle } from '../../parts/section-title.tsx'
import { SignOut } from '../../shell/sign-out.tsx'
import { methodWords, programWords, sessionWords } from './session-words.ts'

/** Where somebody is signed in: the session of this tab, and all others. */
export function SessionsPage() {
  const { api } = useApp()
  return (
    <Stack gap="md">
      <SectionTitle of="Account" title="Sessions" />
      <PresentSession />
      <Asked query={useQuery(sessionsQuery(api))} what="your sessions">
        {(sessions) => <OtherSessions others={sessions.filter(({ current }) => !current)} />}
      </Asked>
    </Stack>
  )
}

function PresentSession() {
  const { api } = useApp()
  return (
    <Asked query={useQuery(ownSessionQuery(api))} what="your session">
      {(present) => (
        <Card title="This session" actions={<SignOut />}>
          <Text size="sm" className="temblor-given">
            {`Of ${present.identifier} in ${present.company_name}. `}
            Its present token ends <RelativeTime at={present.expires_at} />; while you work here it
            is renewed by itself, where your company allows that.
          </Text>
          <List size="sm">
            {present.teams.map(({ identifier, name, roles }) => (
              <List.Item key={identifier} className="temblor-given">
                {`${name}: ${rolesWords(roles)}`}
              </List.Item>
            ))}
          </List>
        </Card>
      )}
    </Asked>
  )
}

function OtherSessions({ others }: { readonly others: readonly SessionEntry[] }) {
  if (others.length === 0)
    return (
      <Card title="Other sessions">
        <Text size="sm">
          You are signed in nowhere else. A session of another browser, or of the command line,
          stands here until it ends.
        </Text>
      </Card>
    )
  return (
    <Card
      title="Other sessions"
      intro="One that you do not know is somebody else’s: end it, and change your password."
      actions={<EndOthers others={others} />}
    >
      <Stack gap="sm" component="ul" m={0} p={0} className="temblor-stages">
        {others.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </Stack>
    </Card>
  )
}

function SessionRow({ session }: { readonly session: SessionEntry }) {
  const { user_agent: userAgent, address, created_at: begun, last_used_at: used } = session
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm">
      <div>
        <Text size="sm" fw={600} className="temblor-given" title={userAgent ?? undefined}>
          {programWords(userAgent)}
        </Text>
        <Text size="sm" c="dimmed" className="temblor-given">
          {`${address ?? 'Address not known'} · ${methodWords(session)}`}
          {begun && (
            <>
              {' · signed in '}
              <RelativeTime at={begun} />
            </>
          )}
          {used && (
            <>
              {' · used '}
              <RelativeTime at={used} />
            </>
          )}
        </Text>
      </div>
      <EndButton session={session} />
    </Group>
  )
}

function EndButton({ session }: { readonly session: SessionEntry }) {
  const { api, queryClient } = useApp()
  const [isAsking, setAsking] = useState(false)
  const which = sessionWords(session)
  return (
    <>
      <Button
        size="xs"
        variant="default"
        flex="none"
        c="var(--mantine-color-error)"
        aria-label={`End the session with ${which}`}
        onClick={() => setAsking(true)}
      >
        End …
      </Button>
      <ConfirmDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`End the session with ${which}?`}
        action="End it"
        onConfirm={async () => {
          await api.call(endSession, { params: { sessionId: session.id } })
          await queryClient.invalidateQueries({ queryKey: ['sessions'] })
          notifications.show({ message: `The session with ${which} has ended.` })
        }}
      >
        <Text size="sm">
          {session.created_at && (
            <>
              It was begun <RelativeTime at={session.created_at} />.{' '}
            </>
          )}
          Whoever has it is turned away from the next request on, and signs in again.
        </Text>
      </ConfirmDanger>
    </>
  )
}

function EndOthers({ others }: { readonly others: readonly SessionEntry[] }) {
  const { api, queryClient } = useApp()
  const [isAsking, setAsking] = useState(false)
  const count = countWords(others.length, 'session')
  return (
    <>
      <Button
        size="xs"
        variant="default"
        c="var(--mantine-color-error)"
        onClick={() => setAsking(true)}
      >
        End all others …
      </Button>
      <ConfirmDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`End ${count}, all but this one?`}
        action={`End ${count}`}
        onConfirm={async () => {
          await api.call(endOtherSessions)
          await queryClient.invalidateQueries({ queryKey: ['sessions'] })
          notifications.show({ message: 'All your other sessions have ended.' })
        }}
      >
        <Text size="sm">
          Those of other browsers and of the command line. API keys go on: they are not sessions.
        </Text>
      </ConfirmDanger>
    </>
  )
}
