import { Group, NativeSelect, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { Client } from '../../../../shared/api/clients.ts'
import { clientsQuery } from '../../api/clients.ts'
import { useApp } from '../../app-context.ts'
import { AddHost } from '../../parts/add-host.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { Loading } from '../../parts/loading.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { SearchInput } from '../../parts/search-input.tsx'
import { WideTable } from '../../parts/wide-table.tsx'
import { TeamPage, useMe } from '../../shell/me.tsx'
import { AddHostButton } from './add-host-button.tsx'
import { ClientRow } from './client-row.tsx'
import { clientStates, fits, type Filters } from './filters.ts'

const page = getRouteApi('/shell/clients')
/** More are counted; the filter finds them. */
const shownClients = 200

/** The hosts of the team: who is there, what each carries and can do. */
export function ClientsPage() {
  const { team } = useMe()
  return (
    <>
      <PageTitle title="Clients">{team && <AddHostButton teamId={team.identifier} />}</PageTitle>
      <TeamPage>{({ identifier }) => <ClientList teamId={identifier} />}</TeamPage>
    </>
  )
}

function ClientList({ teamId }: { readonly teamId: string }) {
  const { api } = useApp()
  const filters = page.useSearch()
  const { data, error, isPending, refetch } = useQuery(clientsQuery(api, teamId))
  if (isPending) return <Loading what="hosts" />
  if (!data) return <ErrorText error={error} retry={() => void refetch()} />
  const all = [...data.active, ...data.idle, ...data.inactive]
  if (all.length === 0) return <NoHost teamId={teamId} />
  const shown = all.filter((client) => fits(client, filters))
  return (
    <>
      <ErrorText error={error} retry={() => void refetch()} />
      <FilterBar filters={filters} all={all} />
      {shown.length > 0 ? <ClientTable clients={shown} /> : <NoneFits />}
      {shown.length > shownClients && (
        <Text size="sm" c="dimmed" mt="xs">
          {`The first ${shownClients} of ${shown.length} hosts. Filter to see others.`}
        </Text>
      )}
    </>
  )
}

function FilterBar({ filters, all }: { filters: Filters; all: readonly Client[] }) {
  const navigate = useNavigate({ from: '/clients' })
  const change = (part: Partial<Filters>) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true })
  const count = (state: string) => all.filter((one) => one.state.toLowerCase() === state).length
  return (
    <Group gap="xs" mb="sm" align="flex-end" role="search" aria-label="Filter the hosts">
      <NativeSelect
        label="State"
        size="xs"
        value={filters.state ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ state: clientStates.find((one) => one === value) })
        }
        data={[
          { value: '', label: `All (${all.length})` },
          { value: 'active', label: `Active (${count('active')})` },
          { value: 'idle', label: `Idle (${count('idle')})` },
          { value: 'revoked', label: `Revoked (${count('revoked')})` },
        ]}
      />
      <SearchInput
        label="Name, tag, container or label"
        value={filters.text}
        onSearch={(text) => change({ text })}
      />
    </Group>
  )
}

function ClientTable({ clients }: { readonly clients: readonly Client[] }) {
  return (
    <WideTable label="Hosts" minWidth={780}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Host</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Tags</Table.Th>
          <Table.Th>Containers</Table.Th>
          <Table.Th>Can run</Table.Th>
          <Table.Th>Seen</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {clients.slice(0, shownClients).map((client) => (
          <ClientRow key={client.identifier} client={client} />
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

function NoneFits() {
  return (
    <EmptyState title="No host fits">
      <LinkButton to="/clients" search={({ team }) => ({ team })} variant="default" size="xs">
        Show all hosts
      </LinkButton>
    </EmptyState>
  )
}

function NoHost({ teamId }: { readonly teamId: string }) {
  return (
    <EmptyState title="No hosts yet">
      <Text>
        An agent on a host dials out to this controller, and carries out attacks there or on its
        Docker containers. Its owner says what it may do; you see that here.
      </Text>
      <AddHost teamId={teamId} />
    </EmptyState>
  )
}
