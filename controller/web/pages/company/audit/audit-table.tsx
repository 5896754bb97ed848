import { Code, Table, Text } from '@mantine/core'
import type { AuditEntry } from '../../../../../shared/api/audit.ts'
import { auditActions } from '../../../../../shared/audit-actions.ts'
import { RelativeTime } from '../../../parts/relative-time.tsx'
import { StateBadge } from '../../../parts/state-badge.tsx'
import { WideTable } from '../../../parts/wide-table.tsx'

const results = {
  ok: ['good', 'Done'],
  refused: ['bad', 'Refused'],
  failed: ['bad', 'Failed'],
} as const

/** Entries of the audit, as they came. */
export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <WideTable label="Audit" minWidth={860}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>When</Table.Th>
          <Table.Th>Who</Table.Th>
          <Table.Th>What</Table.Th>
          <Table.Th>To whom or what</Table.Th>
          <Table.Th>Result</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.map((entry) => (
          <EntryRow key={entry.id} entry={entry} />
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

function EntryRow({ entry }: { readonly entry: AuditEntry }) {
  const { time, actor, from, action, target, detail, result, code } = entry
  const [tone, words] = results[result]
  const details = Object.keys(detail).length > 0 ? JSON.stringify(detail) : ''
  return (
    <Table.Tr>
      <Table.Td>
        <RelativeTime at={time} />
      </Table.Td>
      <Table.Td className="temblor-given">
        {actor.kind === 'user' ? actor.name : `${actor.name} (${actor.kind})`}
        {from !== null && (
          <Text size="xs" c="dimmed">
            {from}
          </Text>
        )}
      </Table.Td>
      <Table.Td title={auditActions[action]}>
        <Code>{action}</Code>
      </Table.Td>
      <Table.Td className="temblor-given" maw={360}>
        {target && `${target.kind} ${target.name}`}
        {details && (
          <Text size="xs" c="dimmed" ff="monospace" lineClamp={4} title={details.slice(0, 2000)}>
            {details}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <StateBadge tone={tone}>{words}</StateBadge>
        {code !== null && (
          <Text size="xs" c="dimmed">
            {code}
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
