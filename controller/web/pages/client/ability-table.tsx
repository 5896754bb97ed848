import { Table, Text } from '@mantine/core'
import type { Client } from '../../../../shared/api/clients.ts'
import { abilitiesOf } from '../../parts/abilities.ts'
import { WideTable } from '../../parts/wide-table.tsx'

/** Each type of attack: whether this host can do it, and why not. */
export function AbilityTable({ client }: { readonly client: Client }) {
  return (
    <WideTable label="Attack types" minWidth={520}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="8rem">Attack</Table.Th>
          <Table.Th>On the host</Table.Th>
          <Table.Th>On its containers</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {abilitiesOf(client).map(({ type, title, host, container }) => (
          <Table.Tr key={type}>
            <Table.Th scope="row" fw={600}>
              {title}
            </Table.Th>
            <Table.Td>
              <WhyNot reason={host} />
            </Table.Td>
            <Table.Td>
              <WhyNot reason={container} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

function WhyNot({ reason }: { readonly reason: string | null }) {
  return (
    <span className="temblor-stage temblor-wraps" data-tone={reason === null ? 'good' : 'bad'}>
      <Text span size="sm" className="temblor-given">
        {reason ?? 'Yes'}
      </Text>
    </span>
  )
}
