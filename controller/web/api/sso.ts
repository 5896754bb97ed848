import { queryOptions } from '@tanstack/react-query'
import { listSamlFailures } from '../../../shared/api/saml.ts'
import { listSamlAliases, readSamlAlias } from '../../../shared/api/saml-aliases.ts'
import { readSsoSetup, readSsoTest } from '../../../shared/api/sso.ts'
import type { WebApi } from './create-api.ts'

/** What to enter at an identity provider. */
export function ssoSetupQuery(api: WebApi, companyId: string) {
  return queryOptions({
    queryKey: ['sso-setup', companyId],
    queryFn: ({ signal }) => api.call(readSsoSetup, { params: { companyId }, signal }),
  })
}

/** What became of a sign-in that only tries a provider; asked again while it has no answer. */
export function ssoTestQuery(api: WebApi, companyId: string, testId: string) {
  return queryOptions({
    queryKey: ['sso-test', companyId, testId],
    queryFn: ({ signal }) => api.call(readSsoTest, { params: { companyId, testId }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'WAITING' ? 3_000 : false),
  })
}

/** The newest sign-ins with a provider that were refused, and why. */
export function failuresQuery(api: WebApi, email: string | undefined) {
  return queryOptions({
    queryKey: ['sso-failures', email ?? ''],
    queryFn: ({ signal }) =>
      api.call(listSamlFailures, { query: email === undefined ? {} : { email }, signal }),
  })
}

/** What stands for roles in the claims of a SAML provider, by name. */
export function aliasesQuery(api: WebApi, companyId: string) {
  return queryOptions({
    queryKey: ['aliases', companyId],
    queryFn: ({ signal }) => api.call(listSamlAliases, { params: { companyId }, signal }),
  })
}

/** The roles that one of them stands for. */
export function aliasQuery(api: WebApi, companyId: string, aliasId: string) {
  return queryOptions({
    queryKey: ['alias', companyId, aliasId],
    queryFn: ({ signal }) => api.call(readSamlAlias, { params: { companyId, aliasId }, signal }),
  })
}
