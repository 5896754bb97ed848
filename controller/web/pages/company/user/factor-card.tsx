import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { forceDisableMfa, readMfaEnabled } from '../../../../../shared/api/mfa.ts'
import type { User } from '../../../../../shared/api/users.ts'
import { mfaResetNeeds } from '../../../../../shared/role-rules.ts'
import { useApp } from '../../../app-context.ts'
import { Asked } from '../../../parts/asked.tsx'
import { Card } from '../../../parts/card.tsx'
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx'
import { useMe } from '../../../shell/me.tsx'
import { holderOf, usePlace } from '../../../shell/use-place.ts'

/** Whether somebody has a second factor; who lost theirs is helped here. */
export function FactorCard({ user }: { readonly user: User }) {
  const { api, queryClient } = useApp()
  const { self } = useMe()
  const { holder } = usePlace(undefined)
  const [isOpen, setOpen] = useState(false)
  const email = user.identifier
  const queryKey = ['mfa-of', email]
  const factor = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.call(readMfaEnabled, { params: { email }, signal }),
  })
  const missing = mfaResetNeeds(holder, holderOf(user.roles, user))
  return (
    <Card title="Second factor">
      <Asked query={factor} what="the second factor">
        {(isOn) => (
          <>
            <Text size="sm">{isOn ? 'On.' : 'Off.'}</Text>
            {isOn && email === self.identifier && (
              <Text size="sm">Your own is switched off under Account.</Text>
            )}
            {isOn && email !== self.identifier && missing !== undefined && (
              <Text size="sm">{`To switch it off takes the privilege ${missing}.`}</Text>
            )}
            {isOn && email !== self.identifier && missing === undefined && (
              <div>
                <Button
                  size="xs"
                  variant="default"
                  c="var(--mantine-color-error)"
                  onClick={() => setOpen(true)}
                >
                  Switch it off …
                </Button>
              </div>
            )}
          </>
        )}
      </Asked>
      <ConfirmDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Switch off the second factor of ${email}?`}
        action="Switch it off"
        onConfirm={async () => {
          await api.call(forceDisableMfa, { body: { email } })
          await queryClient.invalidateQueries({ queryKey })
        }}
      >
        <Text size="sm">
          Then their password alone opens a session. All their sessions end. Make sure that it is
          they who ask.
        </Text>
      </ConfirmDanger>
    </Card>
  )
}
