import { Button, Table, Text, VisuallyHidden } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lookLimit } from '../../../../shared/api/attacks.ts'
import type { Attack } from '../../../../shared/api/records.ts'
import { attacksQuery } from '../../api/attacks.ts'
import type { MyTeam } from '../../api/self.ts'
import { useApp } from '../../app-context.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { Loading } from '../../parts/loading.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { TeamPage, useMe } from '../../shell/me.tsx'
import { AttackRow } from './attack-row.tsx'
import { AttackFilterBar } from './filter-bar.tsx'

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
  const { state, type, text, from, to } = page.useSearch()
  const filters = { state, type, text, from, to }
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const query = useInfiniteQuery({
    ...attacksQuery(api, team.identifier, filters),
    // What stood there stays until the answer to the next letter is there.
    placeholderData: keepPreviousData,
  })
  const shown = query.data?.pages.flatMap(({ items }) => items) ?? []
  const looked = lookLimit * (query.data?.pages.length ?? 0)
  return (
    <>
      <AttackFilterBar filters={filters} />
      <ErrorText error={query.error} retry={() => void query.refetch()} />
      {query.isPending && <Loading what="attacks" />}
      <div aria-busy={query.isPlaceholderData}>
        {shown.length > 0 && <AttackTable attacks={shown} />}
        {query.isSuccess && shown.length === 0 && (
          <NoAttacks isFiltered={isFiltered} looked={query.hasNextPage ? looked : undefined} />
        )}
      </div>
      {query.hasNextPage && (
        <Button
          size="xs"
          variant="default"
          mt="sm"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {isFiltered ? 'Look further back' : 'Older attacks'}
        </Button>
      )}
    </>
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

interface NoAttacksProps {
  readonly isFiltered: boolean
  /** So many were looked at, where there are more. */
  readonly looked: number | undefined
}

function NoAttacks({ isFiltered, looked }: NoAttacksProps) {
  if (isFiltered)
    return (
      <EmptyState title="No attack fits">
        {looked !== undefined && (
          <Text>{`None of the newest ${looked.toLocaleString('en')}. There are older ones.`}</Text>
        )}
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
