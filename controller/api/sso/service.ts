import { randomUUID } from 'node:crypto'
import { ApiError } from '../../../shared/api/errors.ts'
import type { BodyOf } from '../../../shared/api/route.ts'
import type { SsoSetup, SsoTest, startSsoTest } from '../../../shared/api/sso.ts'
import { timestamp } from '../../../shared/api/timestamp.ts'
import type { Caller } from '../../auth/access.ts'
import { safeDestination } from '../../auth/destination.ts'
import { oauthSetup } from '../../oauth/setup.ts'
import { ssoTestNotFound } from '../../records/not-found.ts'
import { createPace } from '../../saml/pace.ts'
import { createSamlProvider, samlAddresses } from '../../saml/provider.ts'
import { formatRelayState } from '../../saml/relay-state.ts'
import { samlSetup } from '../../saml/setup.ts'
import type { Company } from '../../store/companies.ts'
import type { OAuthMethod } from '../../store/oauth.ts'
import { requestMs } from '../../store/saml.ts'
import type { Store } from '../../store/store.ts'

export interface SsoDeps {
  readonly store: Store
  /** Where others reach this service. */
  readonly siteUrl: () => string
  /** Undefined where none is set up. */
  readonly publicProvider: object | undefined
}

/** Setting up providers, of whatever kind. */
export interface SsoService {
  setup(caller: Caller): Promise<SsoSetup>
  /** @throws ApiError `not_supported` where no provider is set */
  startTest(caller: Caller, given: BodyOf<typeof startSsoTest>): Promise<SsoTest>
  /** @throws ApiError `sso_test_not_found` */
  readTest(caller: Caller, testId: string): Promise<SsoTest>
}

/** Makes the service of setting up. */
export function createSsoService(deps: SsoDeps): SsoService {
  const { store, siteUrl } = deps
  const saml = createSamlProvider(store.samlSigner, siteUrl, createPace())
  const beginSaml = async (company: Company, testId: string, path: string): Promise<string> => {
    const { saml: settings } = await store.signInSettings.read(company.id)
    if (!settings) throw noProvider('saml', 'set it with POST /companies/{id}/saml/props')
    const { app } = samlAddresses(siteUrl())
    const relay = { company: company.name, app, destination: safeDestination(path, app) }
    const { id, url } = await saml.request(settings, formatRelayState(relay))
    const { version } = settings
    const { destination } = relay
    await store.samlFlow.putRequest(id, { companyId: company.id, version, destination, testId })
    return url
  }
  return {
    setup: async ({ company }) => ({
      saml: samlSetup(company, siteUrl(), await saml.certificate()),
      oauth: oauthSetup(company, siteUrl()),
    }),
    async startTest({ company, email }, { protocol, destination }) {
      const testId = randomUUID()
      const path = destination ?? '/'
      const url =
        protocol === 'saml'
          ? await beginSaml(company, testId, path)
          : await beginOAuth(deps, company, protocol, { test: testId, destination: path })
      const test = waiting({ testId, protocol, url, startedBy: email })
      await store.ssoTests.put(company.id, test)
      return test
    },
    async readTest({ company }, testId) {
      const test = await store.ssoTests.read(company.id, testId)
      if (!test) throw ssoTestNotFound(testId)
      return test
    },
  }
}

/** The browser that opens it is the one that the sign-in is tied to, so it begins here. */
async function beginOAuth(
  { store, siteUrl, publicProvider }: SsoDeps,
  company: Company,
  provider: OAuthMethod,
  test: { test: string; destination: string },
): Promise<string> {
  if (provider === 'google' && !publicProvider)
    throw noProvider('google', 'the settings of the service name it (TEMBLOR_OIDC_CLIENT_ID)')
  if (provider === 'oauth' && !(await store.signInSettings.read(company.id)).oauth)
    throw noProvider('oauth', 'set it with POST /companies/{id}/oauth/settings')
  const query = new URLSearchParams({ companyName: company.name, provider, ...test })
  return `${siteUrl()}/v1/oauth/login?${query.toString()}`
}

function waiting(begun: Pick<SsoTest, 'testId' | 'protocol' | 'url' | 'startedBy'>): SsoTest {
  const now = Date.now()
  return {
    ...begun,
    state: 'WAITING',
    startedAt: timestamp(now),
    expiresAt: timestamp(now + requestMs),
    answeredAt: null,
    check: null,
    reason: null,
    came: null,
    outcome: null,
  }
}

function noProvider(protocol: string, what: string): ApiError {
  return new ApiError(
    'not_supported',
    `protocol cannot be "${protocol}": the company has no such provider; ${what}. Nothing was changed.`,
    { details: { field: 'protocol', value: protocol } },
  )
}
