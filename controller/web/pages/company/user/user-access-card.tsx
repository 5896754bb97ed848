import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { reactivateUser, revokeUser, type User } from '../../../../../shared/api/users.ts'
import { revocationNeeds } from '../../../../../shared/role-rules.ts'
import { useApp } from '../../../app-context.ts'
import { Card } from '../../../parts/card.tsx'
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx'
import { ErrorText } from '../../../parts/error-text.tsx'
import { useMe } from '../../../shell/me.tsx'
import { holderOf, usePlace } from '../../../shell/use-place.ts'
import { refreshPeople } from '../../team/refresh-people.ts'

/** Ends the access of somebody, and gives it back. */
export function UserAccessCard({ user }: { readonly user: User }) {
  const { api, queryClient } = useApp()
  const { self } = useMe()
  const { holder } = usePlace(undefined)
  const [isOpen, setOpen] = useState(false)
  const params = { companyId: self.company_id, email: user.identifier }
  const back = useMutation({
    mutationFn: () => api.call(reactivateUser, { params }),
    onSuccess: () => refreshPeople(queryClient),
  })
  const missing = revocationNeeds(holder, holderOf(user.roles, user))
  if (missing !== undefined)
    return (
      <Card title="Access">
        <Text size="sm">{`To end it or give it back takes the privilege ${missing}.`}</Text>
      </Card>
    )
  if (user.state === 'REVOKED')
    return (
      <Card title="Access" intro="They sign in anew, and find their own keys revoked.">
        <ErrorText error={back.error} />
        <Group>
          <Button size="xs" loading={back.isPending} onClick={() => back.mutate()}>
            Give the access back
          </Button>
        </Group>
      </Card>
    )
  return (
    <Card title="Access">
      <Group>
        <Button
          size="xs"
          variant="default"
          c="var(--mantine-color-error)"
          onClick={() => setOpen(true)}
        >
          Revoke the access …
        </Button>
      </Group>
      <ConfirmDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Revoke the access of ${user.identifier}?`}
        action="Revoke it"
        onConfirm={async () => {
          await api.call(revokeUser, { params })
          await refreshPeople(queryClient)
        }}
      >
        <Text size="sm">
          {`They are out of ${self.company_name} with their next request, and their keys are revoked. Attacks that they started go on.`}
        </Text>
      </ConfirmDanger>
    </Card>
  )
}
