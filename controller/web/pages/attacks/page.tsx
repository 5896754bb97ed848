import { Group, NativeSelect, Table, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { Attack } from '../../../../shared/api/records.ts'
import { attackListSize, attacksQuery } from '../../api/attacks.ts'
import type { MyTeam } from '../../api/self.ts'
import { useApp } from '../../app-context.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { Loading } from '../../parts/loading.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { TeamPage, useMe } from '../../shell/me.tsx'
import { AttackRow } from './attack-row.tsx'
import { fits, type Filters } from './filters.ts'

const page = getRouteApi('/shell/attacks')

/** The attacks of the team, the newest first, live. */
export function AttacksPage() {
  const { can } = useMe()
  return (
    <>
      <PageTitle title="Attacks">
        {can('EXPERIMENTS_RUN') && (
          <LinkButton to="/attacks/new" size="xs">
            New attack
          </LinkButton>
        )}
      </PageTitle>
      <TeamPage>{(team) => <AttackList team={team} />}</TeamPage>
    </>
  )
}

function AttackList({ team }: { readonly team: MyTeam }) {
  const { api } = useApp()
  const filters = page.useSearch()
  const query = useQuery(attacksQuery(api, team.identifier, filters.state ?? 'all'))
  const all = query.data ?? []
  const shown = all.filter((attack) => fits(attack, filters))
  return (
    <>
      <FilterBar filters={filters} types={[...new Set(all.map((one) => one.command_type))]} />
      <ErrorText error={query.error} retry={() => void query.refetch()} />
      {query.isPending && <Loading what="attacks" />}
      {query.isSuccess &&
        (shown.length > 0 ? (
          <AttackTable attacks={shown} />
        ) : (
          <NoAttacks isFiltered={Object.keys(filters).some((name) => name !== 'team')} />
        ))}
      {all.length === attackListSize && (
        <Text size="sm" c="dimmed" mt="xs">{`The newest ${attackListSize} attacks.`}</Text>
      )}
    </>
  )
}

function FilterBar({ filters, types }: { filters: Filters; types: readonly string[] }) {
  const navigate = useNavigate({ from: '/attacks' })
  const change = (part: Partial<Filters>) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true })
  const known = filters.type === undefined ? types : [...new Set([...types, filters.type])]
  return (
    <Group gap="xs" mb="sm" align="flex-end" role="search" aria-label="Filter the attacks">
      <NativeSelect
        label="State"
        size="xs"
        value={filters.state ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ state: value === 'active' || value === 'over' ? value : undefined })
        }
        data={[
          { value: '', label: 'All' },
          { value: 'active', label: 'Running' },
          { value: 'over', label: 'Over' },
        ]}
      />
      <NativeSelect
        label="Type"
        size="xs"
        value={filters.type ?? ''}
        onChange={({ currentTarget: { value } }) => change({ type: value || undefined })}
        data={[{ value: '', label: 'All' }, ...known.toSorted()]}
      />
      <TextInput
        label="Target, user or id"
        size="xs"
        type="search"
        defaultValue={filters.text ?? ''}
        onChange={({ currentTarget: { value } }) => change({ text: value || undefined })}
      />
    </Group>
  )
}

function AttackTable({ attacks }: { readonly attacks: readonly Attack[] }) {
  return (
    <Table highlightOnHover verticalSpacing={6} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={{ base: '8rem', sm: '9.5rem' }}>Stage</Table.Th>
          <Table.Th>Attack</Table.Th>
          <Table.Th visibleFrom="sm">Targets</Table.Th>
          <Table.Th visibleFrom="md" w="12rem">
            By
          </Table.Th>
          <Table.Th w={{ base: '7.5rem', sm: '9rem' }}>Started</Table.Th>
          <Table.Th visibleFrom="sm" w="7rem">
            <VisuallyHidden>What can be done</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {attacks.map((attack) => (
          <AttackRow key={attack.guid} attack={attack} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function NoAttacks({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="No attack fits">
        <LinkButton to="/attacks" search={({ team }) => ({ team })} variant="default" size="xs">
          Show all attacks
        </LinkButton>
      </EmptyState>
    )
  return (
    <EmptyState title="No attacks yet">
      <Text>
        An attack does one thing to the hosts or containers that you choose, for as long as you say:
        it burns CPU, delays or drops packets, or shuts down. It ends by itself, and what it really
        did is measured and shown here.
      </Text>
      <LinkButton to="/attacks/new" size="xs">
        Make the first one
      </LinkButton>
    </EmptyState>
  )
}
