import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Client } from '../../../../shared/api/clients.ts'
import { clientsQuery } from '../../api/clients.ts'
import { useApp } from '../../app-context.ts'
import { CopyLine } from '../../parts/copy-line.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { Loading } from '../../parts/loading.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { RelativeTime } from '../../parts/relative-time.tsx'
import { WideTable } from '../../parts/wide-table.tsx'
import { TeamPage } from '../../shell/me.tsx'

/** The hosts of the team. */
export function ClientsPage() {
  return (
    <>
      <PageTitle title="Clients" />
      <TeamPage>{(team) => <ClientList teamId={team.identifier} />}</TeamPage>
    </>
  )
}

function ClientList({ teamId }: { readonly teamId: string }) {
  const { api } = useApp()
  const { data, error, isPending, refetch } = useQuery(clientsQuery(api, teamId))
  if (isPending) return <Loading what="hosts" />
  if (!data) return <ErrorText error={error} retry={() => void refetch()} />
  const all = [...data.active, ...data.idle, ...data.inactive]
  if (all.length === 0)
    return (
      <EmptyState title="No hosts yet">
        <Text>An agent on a host dials out to this controller. The line that it needs:</Text>
        <CopyLine label="How to add a host" text="temblor team join-line" />
      </EmptyState>
    )
  return <ClientTable clients={all} />
}

function ClientTable({ clients }: { readonly clients: readonly Client[] }) {
  return (
    <WideTable label="Hosts" minWidth={560}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Host</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Tags</Table.Th>
          <Table.Th>Containers</Table.Th>
          <Table.Th>Seen</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {clients.map(({ identifier, state, tags, containers, last_seen }) => (
          <Table.Tr key={identifier}>
            <Table.Td className="temblor-given">{identifier}</Table.Td>
            <Table.Td>{state}</Table.Td>
            <Table.Td className="temblor-given">
              {Object.entries(tags)
                .map(([key, value]) => `${key}=${value}`)
                .join(', ')}
            </Table.Td>
            <Table.Td className="temblor-number">{containers.length}</Table.Td>
            <Table.Td>
              <RelativeTime at={last_seen} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}
