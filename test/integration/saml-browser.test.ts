import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Session } from '../../shared/api/sessions.ts'
import { browserSkipReason, startPage, type Page } from '../support/browser.ts'
import { request } from '../support/http.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { addSamlCompany, type SamlCompany } from '../support/saml-company.ts'
import { startIdpServer, type IdpServer } from '../support/saml-idp-server.ts'
import { startSite, type Site } from '../support/site.ts'
import { until } from '../support/until.ts'

/** Signing in with a real browser, from the service to a provider on another site and back. */

let site: Site
let controller: TestController
let company: SamlCompany
let idp: IdpServer
let page: Page
let email = ''

/** Opens an address and waits until the browser rests at one that begins so. */
const arrive = async (url: string, at: string) => {
  await page.open(url)
  let where = ''
  await until(`the browser is at ${at}`, async () => {
    where = await page.ask<string>('location.href')
    return where.startsWith(at) && (await page.ask('document.readyState')) === 'complete'
  })
  return new URL(where)
}
const login = () => {
  const query = new URLSearchParams({
    companyName: company.company.name,
    destination: '/attacks?state=active',
  })
  return `${site.url}/v1/users/auth/saml/login?${query.toString()}`
}
const exchange = (url: URL) =>
  request(site.url, 'POST', '/v1/users/auth/saml/sessions', {
    json: { code: url.searchParams.get('SamlSessionCode') },
  })

describe.skipIf(browserSkipReason)('in a browser', () => {
  beforeAll(async () => {
    site = await startSite((path) => path === '/users/sso/saml/acs')
    controller = await startTestController({ TEMBLOR_PUBLIC_URL: site.url })
    site.leadTo(controller.baseUrl)
    company = await addSamlCompany({ ...controller, baseUrl: site.url }, 'Browser')
    idp = await startIdpServer(
      () => company,
      () => email,
    )
    await company.configure({ idpUrl: idp.ssoUrl, idpInitiated: 'false' })
    page = await startPage()
  })
  afterAll(async () => {
    await page?.[Symbol.asyncDispose]()
    await idp?.[Symbol.asyncDispose]()
    await controller?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  test('the service sends it with a signed request; back at the app its code opens one session', async () => {
    email = newEmail('sent')
    const end = await arrive(login(), company.app)
    expect(idp.verified).toHaveLength(1)
    expect(end.searchParams.get('destination')).toBe('/attacks?state=active')
    const opened = await exchange(end)
    expect(opened).toMatchObject({ status: 200, json: { identifier: email } })
    expect((opened.json as Session).company_id).toBe(company.company.id)
    expect(problem(await exchange(end))).toEqual({ status: 401, code: 'sso_refused' })
  })

  test('the provider sends it: refused, and nothing told, until the company allows it', async () => {
    email = newEmail('unasked')
    await arrive(idp.appsUrl, company.acs)
    const text = await page.ask<string>('document.body.innerText')
    expect(text).toContain('The sign-in was refused.')
    expect(await page.ask<string>("document.querySelector('a').href")).toBe(`${site.url}/sign-in`)
    expect(text).not.toContain(email)
    expect(await controller.store.users.findByEmail(email)).toBeUndefined()
    expect((await company.failures())[0]).toMatchObject({ check: 'in_response_to', email })
    await company.configure({ idpUrl: idp.ssoUrl, idpInitiated: 'true' })
    const end = await arrive(idp.appsUrl, company.app)
    expect(end.searchParams.get('destination')).toBe('/attacks')
    expect(await exchange(end)).toMatchObject({ status: 200, json: { identifier: email } })
  })
})
