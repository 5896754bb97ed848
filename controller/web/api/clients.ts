import { queryOptions } from '@tanstack/react-query'
import { listClients } from '../../../shared/api/clients.ts'
import type { WebApi } from './create-api.ts'

/** Hosts report every few seconds. */
const everyMs = 10_000

/** The hosts of a team by state. */
export function clientsQuery(api: WebApi, teamId: string) {
  return queryOptions({
    queryKey: ['clients', teamId],
    queryFn: ({ signal }) => api.call(listClients, { query: { teamId }, signal }),
    refetchInterval: everyMs,
  })
}
