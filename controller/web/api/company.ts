import { queryOptions } from '@tanstack/react-query'
import { listCompanyApiKeys } from '../../../shared/api/api-keys.ts'
import { readCompany } from '../../../shared/api/companies.ts'
import { listTeams } from '../../../shared/api/teams.ts'
import { listCompanyUsers, listUsers } from '../../../shared/api/users.ts'
import type { WebApi } from './create-api.ts'

/** The company of the session with its settings. */
export function companyQuery(api: WebApi, companyId: string) {
  return queryOptions({
    queryKey: ['company', companyId],
    queryFn: ({ signal }) =>
      api.call(readCompany, { params: { companyId }, query: { skipTeams: 'true' }, signal }),
  })
}

/** Its teams, the oldest first. */
export function teamsQuery(api: WebApi) {
  return queryOptions({
    queryKey: ['teams'],
    queryFn: ({ signal }) => api.call(listTeams, { signal }),
  })
}

/** Everybody in the company. */
export function companyUsersQuery(api: WebApi, companyId: string) {
  return queryOptions({
    queryKey: ['users', 'company', companyId],
    queryFn: ({ signal }) => api.call(listCompanyUsers, { params: { companyId }, signal }),
  })
}

/** The people of a team. */
export function teamUsersQuery(api: WebApi, teamId: string) {
  return queryOptions({
    queryKey: ['users', 'team', teamId],
    queryFn: ({ signal }) => api.call(listUsers, { query: { teamId }, signal }),
  })
}

/** The keys of everybody in the company. */
export function companyKeysQuery(api: WebApi) {
  return queryOptions({
    queryKey: ['keys', 'company'],
    queryFn: ({ signal }) => api.call(listCompanyApiKeys, { signal }),
  })
}
