import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SsoTest } from '../../shared/api/sso.ts'
import { browserSkipReason } from '../support/browser.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { addOAuthCompany, type OAuthCompany } from '../support/oauth-company.ts'
import { startOidcProvider, type TestProvider } from '../support/oidc-provider.ts'
import { openWindow, startBrowser, type Window } from '../support/web-browser.ts'

/** Signing in with a real browser and a real provider, which is another site than the service. */

describe.skipIf(browserSkipReason)('in a browser', () => {
  let controller: TestController
  let provider: TestProvider
  let company: OAuthCompany
  let browser: Browser
  let window: Window
  let page: Page

  beforeAll(async () => {
    ;[controller, browser] = await Promise.all([startTestController(), startBrowser()])
    provider = await startOidcProvider({
      redirectUris: [`${controller.baseUrl}/v1/oauth/callback`],
      host: 'localhost',
    })
    const { issuer } = provider
    company = await addOAuthCompany(controller, 'Browser', { issuer, scope: 'openid email roles' })
    window = await openWindow(browser, controller.baseUrl)
    page = window.page
  })
  afterAll(async () => {
    await browser?.close()
    await provider?.[Symbol.asyncDispose]()
    await controller?.[Symbol.asyncDispose]()
  })

  const person = (claims: Record<string, unknown> = {}) => {
    const email = newEmail('person')
    provider.people.set(email, { email, email_verified: true, ...claims })
    return email
  }
  const atProvider = async (login: string, where = page) => {
    await where.waitForURL((url) => url.hostname === 'localhost')
    await where.locator('input[name="login"]').fill(login)
    await where.getByRole('button', { name: 'Sign in' }).click()
    await where.waitForURL((url) => url.hostname === '127.0.0.1')
  }

  test('somebody goes from the page they want to the provider and back to it, signed in', async () => {
    const email = person({ team_roles: ['Payments;TEAM_USER'] })
    await page.goto('/clients')
    await page.getByLabel('Company').fill(company.company.name)
    await page.getByRole('link', { name: 'Sign in with OAuth' }).click()
    await atProvider(email)
    await page.getByRole('heading', { level: 1, name: 'Clients' }).waitFor()
    expect(new URL(page.url())).toMatchObject({ pathname: '/clients', search: '' })
    expect(await company.placeOf(email)).toEqual({
      roles: ['COMPANY_USER'],
      teams: { [company.team.id]: ['TEAM_USER'] },
    })
    expect(await window.context.cookies()).not.toContainEqual(
      expect.objectContaining({ name: 'oauth_state' }),
    )
    expect(window.complaints).toEqual([])
  })

  test('a link with the code of somebody else signs nobody in', async () => {
    const email = person()
    const redirectUri = `${controller.baseUrl}/users/sso/oauth`
    const { begun, back } = await company.sent(email, { redirectUri })
    const answer = await company.comeBack(back, begun.state)
    const link = answer.headers.get('location') ?? ''
    await using victim = await openWindow(browser, controller.baseUrl)
    await victim.page.goto(link)
    await victim.page.getByRole('alert').getByText('refused').waitFor()
    expect(await controller.store.users.findByEmail(email)).toBeUndefined()
    expect((await company.failures())[0]).toMatchObject({ check: 'state', email })
  })

  test('an admin tries the provider, and nobody is signed in', async () => {
    const email = person({ company_roles: ['COMPANY_OWNER'] })
    const path = `/companies/${company.company.id}/sso/tests`
    const json = { protocol: 'oauth', destination: '/sign-in' }
    const begun = (await company.admin.send('POST', path, { json })).json as SsoTest
    await using other = await openWindow(browser, controller.baseUrl)
    await other.page.goto(begun.url)
    await atProvider(email, other.page)
    expect(new URL(other.page.url()).searchParams.get('ssoTest')).toBe(begun.testId)
    expect(await company.admin.get<SsoTest>(`${path}/${begun.testId}`)).toMatchObject({
      state: 'PASSED',
      came: { email },
      outcome: { isNewMember: true },
    })
    expect(await controller.store.users.findByEmail(email)).toBeUndefined()
  })
})
