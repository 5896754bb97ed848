import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ApiKey } from '../../../../shared/api/api-keys.ts'
import { keysQuery } from '../../api/account.ts'
import { companyKeysQuery } from '../../api/company.ts'
import { useApp } from '../../app-context.ts'
import { Asked } from '../../parts/asked.tsx'
import { KeyTable } from '../../parts/key-table.tsx'
import { LinkText } from '../../parts/link-button.tsx'
import { SectionTitle } from '../../parts/section-title.tsx'
import { useMe } from '../../shell/me.tsx'
import type { TeamOf } from './team-of.ts'

/** The keys that work in a team: everybody's for who may see them, else one's own. */
export function TeamKeys({ team }: { readonly team: TeamOf }) {
  const { api } = useApp()
  const { can } = useMe()
  const seesAll = can('ALL_API_KEYS_READ')
  const query = useQuery(seesAll ? companyKeysQuery(api) : keysQuery(api))
  return (
    <Stack gap="md">
      <SectionTitle of="Team" title="API keys" />
      <Text size="sm" c="dimmed">
        {seesAll
          ? 'Keys that were made for this team, of whomever.'
          : 'Your keys that were made for this team. Those of others take the privilege ALL_API_KEYS_READ.'}{' '}
        A key belongs to a person and does what they may do:{' '}
        <LinkText to="/account/keys" inherit underline="always">
          make and change your own
        </LinkText>
        .
      </Text>
      <Asked query={query} what="keys">
        {(all) => <KeysOf team={team} keys={all} />}
      </Asked>
    </Stack>
  )
}

function KeysOf({ team, keys }: { readonly team: TeamOf; readonly keys: readonly ApiKey[] }) {
  const own = keys.filter(({ org_id }) => org_id === team.identifier)
  if (own.length === 0) return <Text size="sm">None yet.</Text>
  return <KeyTable keys={own} teams={new Map([[team.identifier, team.name]])} showsOwner />
}
