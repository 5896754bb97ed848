import { queryOptions } from '@tanstack/react-query'
import { listSamlFailures } from '../../../shared/api/saml.ts'
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
