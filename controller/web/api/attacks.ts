import { queryOptions, type QueryClient } from '@tanstack/react-query'
import {
  listActiveAttacks,
  listAttacks,
  listCompletedAttacks,
  readAttack,
} from '../../../shared/api/attacks.ts'
import type { ExecutionEvent } from '../../../shared/api/events.ts'
import { listExecutions } from '../../../shared/api/executions.ts'
import type { Attack, Execution } from '../../../shared/api/records.ts'
import { isOver } from '../../../shared/attack-words.ts'
import type { WebApi } from './create-api.ts'

/** Which attacks a list has. */
export type AttackState = 'all' | 'active' | 'over'

const contracts = { all: listAttacks, active: listActiveAttacks, over: listCompletedAttacks }

/** A list holds so many at most; pages narrow it down. */
export const attackListSize = 200

/** The newest attacks of a team. */
export function attacksQuery(api: WebApi, teamId: string, state: AttackState) {
  return queryOptions({
    queryKey: ['attacks', teamId, state],
    queryFn: ({ signal }) =>
      api.call(contracts[state], {
        query: { teamId, pageSize: String(attackListSize) },
        signal,
      }),
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
  for (const state of ['all', 'active', 'over'] as const)
    cache.setQueryData<Attack[]>(
      ['attacks', teamId, state],
      (list) => list && withAttack(list, attack, isIn(attack, state)),
    )
  cache.setQueryData<Attack>(['attack', teamId, attack.guid], (known) => known && attack)
  cache.setQueryData<Execution[]>(
    ['executions', teamId, attack.guid],
    (list) => list?.map((one) => (one.guid === execution.guid ? execution : one)) ?? undefined,
  )
}

/** Events may have been missed: what is shown is asked for anew. */
export async function refreshAttacks(cache: QueryClient, teamId: string): Promise<void> {
  await Promise.all(
    ['attacks', 'attack', 'executions', 'metrics'].map((kind) =>
      cache.invalidateQueries({ queryKey: [kind, teamId] }),
    ),
  )
}

/** Puts attacks as an answer to a halt has them where pages look. */
export function applyAttacks(cache: QueryClient, attacks: readonly Attack[]): void {
  for (const attack of attacks) {
    const teamId = attack.owning_team_id
    cache.setQueryData<Attack>(['attack', teamId, attack.guid], (known) => known && attack)
    cache.setQueriesData<Attack[]>({ queryKey: ['attacks', teamId] }, (list) =>
      list?.map((one) => (one.guid === attack.guid ? attack : one)),
    )
  }
}

function isIn(attack: Attack, state: AttackState): boolean {
  return state === 'all' || isOver(attack) === (state === 'over')
}

/** The newest first. */
function withAttack(list: readonly Attack[], attack: Attack, belongs: boolean): Attack[] {
  if (!belongs) return list.filter(({ guid }) => guid !== attack.guid)
  if (list.some(({ guid }) => guid === attack.guid))
    return list.map((one) => (one.guid === attack.guid ? attack : one))
  return [attack, ...list].sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
}
