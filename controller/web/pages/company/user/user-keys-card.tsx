import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { revokeUsersApiKey, type ApiKey } from '../../../../../shared/api/api-keys.ts'
import type { User } from '../../../../../shared/api/users.ts'
import { companyKeysQuery, teamsQuery } from '../../../api/company.ts'
import { useApp } from '../../../app-context.ts'
import { Asked } from '../../../parts/asked.tsx'
import { Card } from '../../../parts/card.tsx'
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx'
import { KeyTable } from '../../../parts/key-table.tsx'
import { useMe } from '../../../shell/me.tsx'

/** The keys of somebody. */
export function UserKeysCard({ user }: { readonly user: User }) {
  const { api } = useApp()
  const keys = useQuery(companyKeysQuery(api))
  const teams = useQuery(teamsQuery(api))
  const names = new Map(teams.data?.map(({ identifier, name }) => [identifier, name]))
  return (
    <Card title="API keys">
      <Asked query={keys} what="keys">
        {(all) => {
          const theirs = all.filter(({ created_by }) => created_by === user.identifier)
          if (theirs.length === 0) return <Text size="sm">None.</Text>
          return <KeyTable keys={theirs} teams={names} showsOwner={false} Actions={RevokeKey} />
        }}
      </Asked>
    </Card>
  )
}

function RevokeKey({ apiKey }: { readonly apiKey: ApiKey }) {
  const { api, queryClient } = useApp()
  const { self, can } = useMe()
  const [isOpen, setOpen] = useState(false)
  if (apiKey.state === 'REVOKED' || !can('COMPANY_USERS_WRITE')) return null
  const revoke = async () => {
    const params = { companyId: self.company_id, email: apiKey.created_by, keyId: apiKey.id }
    await api.call(revokeUsersApiKey, { params })
    await queryClient.invalidateQueries({ queryKey: ['keys'] })
  }
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        c="var(--mantine-color-error)"
        aria-label={`Revoke ${apiKey.identifier}`}
        onClick={() => setOpen(true)}
      >
        Revoke
      </Button>
      <ConfirmDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Revoke the key ${apiKey.identifier} of ${apiKey.created_by}?`}
        action="Revoke it"
        onConfirm={revoke}
      >
        <Text size="sm">Whatever uses it is refused from its next request on.</Text>
      </ConfirmDanger>
    </>
  )
}
