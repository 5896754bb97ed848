import { Group, Table, Text } from '@mantine/core'
import type { ComponentType } from 'react'
import type { ApiKey } from '../../../shared/api/api-keys.ts'
import { RelativeTime } from './relative-time.tsx'
import { WideTable } from './wide-table.tsx'
import { StateBadge } from './state-badge.tsx'

interface KeyTableProps {
  readonly keys: readonly ApiKey[]
  /** Names of teams by id. */
  readonly teams: ReadonlyMap<string, string>
  readonly showsOwner: boolean
  /** What can be done with a key. */
  readonly Actions?: ComponentType<{ readonly apiKey: ApiKey }>
}

/** Keys of the API: whose, where, until when, and whether anybody uses them. */
export function KeyTable({ keys, teams, showsOwner, Actions }: KeyTableProps) {
  return (
    <WideTable label="Table of API keys" minWidth={720}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Key</Table.Th>
          {showsOwner && <Table.Th>Of</Table.Th>}
          <Table.Th>State</Table.Th>
          <Table.Th>Team</Table.Th>
          <Table.Th>Used</Table.Th>
          <Table.Th>Expires</Table.Th>
          {Actions && <Table.Td />}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <Table.Tr key={key.id}>
            <Table.Td className="temblor-given">
              {key.identifier}
              {key.description && (
                <Text size="xs" c="dimmed">
                  {key.description}
                </Text>
              )}
            </Table.Td>
            {showsOwner && <Table.Td className="temblor-given">{key.created_by}</Table.Td>}
            <Table.Td>
              <KeyState apiKey={key} />
            </Table.Td>
            <Table.Td className="temblor-given">
              {key.org_id === null ? 'The oldest' : (teams.get(key.org_id) ?? 'Another')}
            </Table.Td>
            <Table.Td>
              {key.last_used_at ? <RelativeTime at={key.last_used_at} /> : 'Never'}
            </Table.Td>
            <Table.Td>{key.expires_at ? <RelativeTime at={key.expires_at} /> : 'Never'}</Table.Td>
            {Actions && (
              <Table.Td>
                <Group gap="xs" justify="flex-end" wrap="nowrap">
                  <Actions apiKey={key} />
                </Group>
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

function KeyState({ apiKey: { state, revoked_by } }: { readonly apiKey: ApiKey }) {
  if (state === 'ACTIVE') return <StateBadge tone="good">Active</StateBadge>
  if (state === 'IDLE') return <StateBadge tone="waiting">Expired</StateBadge>
  return (
    <>
      <StateBadge tone="bad">Revoked</StateBadge>
      {revoked_by && (
        <Text size="xs" c="dimmed" className="temblor-given">
          {`by ${revoked_by}`}
        </Text>
      )}
    </>
  )
}
