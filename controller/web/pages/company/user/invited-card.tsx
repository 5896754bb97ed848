import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { inviteToTeam, withdrawCompanyInvitation } from '../../../../../shared/api/invitations.ts'
import { inviteToCompany } from '../../../../../shared/api/invitations.ts'
import type { User } from '../../../../../shared/api/users.ts'
import { useApp } from '../../../app-context.ts'
import { Card } from '../../../parts/card.tsx'
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx'
import { ErrorText } from '../../../parts/error-text.tsx'
import { rolesWords } from '../../../parts/role-words.ts'
import { useMe } from '../../../shell/me.tsx'
import { refreshPeople } from '../../team/refresh-people.ts'
import { InvitationLink } from '../users/invitation-link.tsx'

/** Somebody who has not come yet. */
export function InvitedCard({ user }: { readonly user: User }) {
  const { api, queryClient } = useApp()
  const { self, can } = useMe()
  const [isOpen, setOpen] = useState(false)
  const { identifier: email, team_memberships } = user
  const teamId = team_memberships[0]?.identifier
  const again = useMutation({
    mutationFn: async () => {
      if (teamId !== undefined)
        return await api.call(inviteToTeam, { query: { teamId }, body: { email } })
      const params = { companyId: self.company_id }
      const [one] = await api.call(inviteToCompany, { params, body: [{ identifier: email }] })
      return one
    },
    onSuccess: () => refreshPeople(queryClient),
  })
  const place = team_memberships.map(({ name, roles }) => `${rolesWords(roles)} in ${name}`)
  return (
    <Card title="Invitation">
      <Text size="sm" className="temblor-given">
        {`Will be ${[`${rolesWords(user.roles)} in the company`, ...place].join(', ')}.`}
      </Text>
      {again.data && <InvitationLink invitation={again.data} />}
      <ErrorText error={again.error} />
      {can('COMPANY_USERS_WRITE') && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={again.isPending}
            onClick={() => again.mutate()}
          >
            Invite again
          </Button>
          <Button
            size="xs"
            variant="default"
            c="var(--mantine-color-error)"
            onClick={() => setOpen(true)}
          >
            Withdraw …
          </Button>
        </Group>
      )}
      <ConfirmDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Withdraw the invitation of ${email}?`}
        action="Withdraw it"
        onConfirm={async () => {
          const params = { companyId: self.company_id, email }
          await api.call(withdrawCompanyInvitation, { params })
          await refreshPeople(queryClient)
        }}
      >
        <Text size="sm">The link does nothing any more.</Text>
      </ConfirmDanger>
    </Card>
  )
}
