import { Table, Text } from '@mantine/core'
import type { Client } from '../../../../shared/api/clients.ts'
import { limitSentences, possibleTypes } from '../../parts/abilities.ts'
import { ClientState } from '../../parts/client-state.tsx'
import { LinkText } from '../../parts/link-button.tsx'
import { Pairs } from '../../parts/pairs.tsx'
import { RelativeTime } from '../../parts/relative-time.tsx'

/** One host in the list. */
export function ClientRow({ client }: { readonly client: Client }) {
  const { identifier, tags, containers, last_seen } = client
  const isLimited = limitSentences(client).length > 0
  return (
    <Table.Tr>
      <Table.Td maw="16rem">
        <LinkText
          to="/clients/host"
          search={({ team }) => ({ team, id: identifier })}
          fw={600}
          size="sm"
          className="temblor-clipped"
        >
          {identifier}
        </LinkText>
      </Table.Td>
      <Table.Td>
        <ClientState client={client} />
      </Table.Td>
      <Table.Td maw="18rem">
        <Pairs pairs={tags} most={6} />
      </Table.Td>
      <Table.Td className="temblor-number">{containers.length}</Table.Td>
      <Table.Td>
        <Text size="sm">{possibleTypes(client).join(', ') || 'nothing'}</Text>
        {isLimited && (
          <Text size="xs" c="dimmed">
            limited by its owner
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <RelativeTime at={last_seen} />
      </Table.Td>
    </Table.Tr>
  )
}
