import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { activeKeyLimit, type ApiKey } from '../../../../shared/api/api-keys.ts'
import { keysQuery } from '../../api/account.ts'
import { useApp } from '../../app-context.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { Asked } from '../../parts/asked.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { KeyTable } from '../../parts/key-table.tsx'
import { SectionTitle } from '../../parts/section-title.tsx'
import { useMe } from '../../shell/me.tsx'
import { KeyActions } from './key-actions.tsx'
import { KeyForm } from './key-form.tsx'
import { useKeyRules } from './use-key-rules.ts'

/** The own keys of the API. */
export function KeysPage() {
  const { api } = useApp()
  const { can } = useMe()
  const keys = useQuery(keysQuery(api))
  const { areOff } = useKeyRules()
  const [isMaking, setMaking] = useState(false)
  return (
    <Stack gap="md">
      <SectionTitle of="Account" title="API keys">
        {can('API_KEYS_WRITE') && (
          <Button size="xs" onClick={() => setMaking(true)}>
            New key
          </Button>
        )}
      </SectionTitle>
      {areOff && <Text size="sm">Your company has switched keys off: none of them works now.</Text>}
      <Allowed privilege="API_KEYS_READ">
        <Asked query={keys} what="your keys">
          {(all) => <KeyList keys={all} />}
        </Asked>
      </Allowed>
      {isMaking && <KeyForm onClose={() => setMaking(false)} />}
    </Stack>
  )
}

function KeyList({ keys }: { readonly keys: readonly ApiKey[] }) {
  const { teams } = useMe()
  if (keys.length === 0)
    return (
      <EmptyState title="No keys yet">
        Scripts and pipelines use a key instead of a password. It does what you may do, at that
        moment, and you can revoke it at any time.
      </EmptyState>
    )
  const active = keys.filter(({ state }) => state === 'ACTIVE').length
  return (
    <>
      <KeyTable
        keys={keys.toSorted((a, b) => rank(a) - rank(b) || (a.created_at < b.created_at ? 1 : -1))}
        teams={new Map(teams.map(({ identifier, name }) => [identifier, name]))}
        showsOwner={false}
        Actions={KeyActions}
      />
      <Text size="sm" c="dimmed">{`${active} of ${activeKeyLimit} keys are active.`}</Text>
    </>
  )
}

/** Those that work come first. */
function rank({ state }: ApiKey): number {
  return state === 'ACTIVE' ? 0 : 1
}
