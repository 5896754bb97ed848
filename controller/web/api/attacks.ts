import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query'
import { listActiveAttacks, readAttack } from '../../../shared/api/attacks.ts'
import type { ExecutionEvent } from '../../../shared/api/events.ts'
import { listExecutions } from '../../../shared/api/executions.ts'
import type { Attack, Execution } from '../../../shared/api/records.ts'
import { isOver } from '../../../shared/attack-words.ts'
import { newestFirst, withAttack, type AttackPages } from './attack-pages.ts'
import { fitsSearch, routeOf, searchQuery } from './attack-search.ts'
import type { AttackSearch } from './attack-states.ts'
import type { WebApi } from './create-api.ts'

/** Attacks that the list asks for at once. */
const pageSize = '50'

/** The attacks of a team that fit, the newest first, a page at a time. */
export function attacksQuery(api: WebApi, teamId: string, search: AttackSearch) {
  return infiniteQueryOptions({
    queryKey: ['attacks', teamId, search],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.call(routeOf(search), {
        query: {
          teamId,
          pageSize,
          ...searchQuery(search),
          ...(pageParam === undefined ? {} : { pageToken: pageParam }),
        },
        signal,
      }),
    getNextPageParam: (last) => last.pageToken ?? undefined,
  })
}

/** All attacks of a team that are not over. */
export function activeAttacksQuery(api: WebApi, teamId: string) {
  return queryOptions({
    queryKey: ['active-attacks', teamId],
    queryFn: ({ signal }) => api.call(listActiveAttacks, { query: { teamId }, signal }),
  })
}

export function attackQuery(api: WebApi, teamId: string, id: string) {
  return queryOptions({
    queryKey: ['attack', teamId, id],
    queryFn: ({ signal }) =>
      api.call(readAttack, { params: { guid: id }, query: { teamId }, signal }),
  })
}

/** The targets of an attack. */
export function executionsQuery(api: WebApi, teamId: string, attackId: string) {
  return queryOptions({
    queryKey: ['executions', teamId, attackId],
    queryFn: ({ signal }) =>
      api.call(listExecutions, { query: { taskId: attackId, teamId }, signal }),
  })
}

/** Puts what an event tells where pages look. */
export function applyEvent(
  cache: QueryClient,
  teamId: string,
  { attack, execution }: ExecutionEvent,
): void {
  applyAttack(cache, teamId, attack)
  cache.setQueryData<Execution[]>(
    ['executions', teamId, attack.guid],
    (list) => list?.map((one) => (one.guid === execution.guid ? execution : one)) ?? undefined,
  )
}

/** Events may have been missed: what is shown is asked for anew. */
export async function refreshAttacks(cache: QueryClient, teamId: string): Promise<void> {
  await Promise.all(
    ['attacks', 'active-attacks', 'attack', 'executions', 'metrics'].map((kind) =>
      cache.invalidateQueries({ queryKey: [kind, teamId] }),
    ),
  )
}

/** Puts attacks as an answer to a halt has them where pages look. */
export function applyAttacks(cache: QueryClient, attacks: readonly Attack[]): void {
  for (const attack of attacks) applyAttack(cache, attack.owning_team_id, attack)
}

function applyAttack(cache: QueryClient, teamId: string, attack: Attack): void {
  for (const { queryKey } of cache.getQueryCache().findAll({ queryKey: ['attacks', teamId] })) {
    const belongs = fitsSearch(attack, queryKey[2] as AttackSearch)
    cache.setQueryData<AttackPages>(queryKey, (list) => list && withAttack(list, attack, belongs))
  }
  cache.setQueryData<Attack[]>(['active-attacks', teamId], (list) => {
    const others = list?.filter(({ guid }) => guid !== attack.guid)
    return others && (isOver(attack) ? others : newestFirst([attack, ...others]))
  })
  cache.setQueryData<Attack>(['attack', teamId, attack.guid], (known) => known && attack)
}
