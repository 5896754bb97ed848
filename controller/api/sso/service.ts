import { randomUUID } from 'node:crypto'
import { ApiError } from '../../../shared/api/errors.ts'
import type { BodyOf } from '../../../shared/api/route.ts'
import type { SsoSetup, SsoTest, startSsoTest } from '../../../shared/api/sso.ts'
import { timestamp } from '../../../shared/api/timestamp.ts'
import type { Caller } from '../../auth/access.ts'
import { ssoTestNotFound } from '../../records/not-found.ts'
import { createSamlProvider } from '../../saml/provider.ts'
import { samlSetup } from '../../saml/setup.ts'
import { samlAddresses } from '../../saml/provider.ts'
import { formatRelayState, safeDestination } from '../../saml/relay-state.ts'
import { requestMs } from '../../store/saml.ts'
import type { Store } from '../../store/store.ts'

export interface SsoDeps {
  readonly store: Store
  /** Where others reach this service. */
  readonly siteUrl: () => string
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
export function createSsoService({ store, siteUrl }: SsoDeps): SsoService {
  const saml = createSamlProvider(store.samlSigner, siteUrl)
  return {
    setup: async ({ company }) => ({
      saml: samlSetup(company, siteUrl(), await saml.certificate()),
    }),
    async startTest({ company, email }, { protocol, destination }) {
      const { saml: settings } = await store.signInSettings.read(company.id)
      if (!settings) throw noProvider(protocol)
      const { app } = samlAddresses(siteUrl())
      const relay = {
        company: company.name,
        app,
        destination: safeDestination(destination ?? undefined, app),
      }
      const { id, url } = await saml.request(settings, formatRelayState(relay))
      const now = Date.now()
      const test: SsoTest = {
        testId: randomUUID(),
        protocol,
        state: 'WAITING',
        url,
        startedBy: email,
        startedAt: timestamp(now),
        expiresAt: timestamp(now + requestMs),
        answeredAt: null,
        check: null,
        reason: null,
        came: null,
        outcome: null,
      }
      await store.ssoTests.put(company.id, test)
      await store.samlFlow.putRequest(id, {
        companyId: company.id,
        version: settings.version,
        destination: relay.destination,
        testId: test.testId,
      })
      return test
    },
    async readTest({ company }, testId) {
      const test = await store.ssoTests.read(company.id, testId)
      if (!test) throw ssoTestNotFound(testId)
      return test
    },
  }
}

function noProvider(protocol: string): ApiError {
  return new ApiError(
    'not_supported',
    `protocol cannot be "${protocol}": the company has no such provider; set it with POST /companies/{id}/saml/props. Nothing was changed.`,
    { details: { field: 'protocol', value: protocol } },
  )
}
