import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Company } from '../../controller/store/companies.ts'
import type { Invitation } from '../../shared/api/invitations.ts'
import type { Api } from '../support/api.ts'
import { browserSkipReason, startPage, type Page } from '../support/browser.ts'
import { request } from '../support/http.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { linkIn, startMailServer, type MailServer } from '../support/mail-server.ts'
import { until } from '../support/until.ts'

const password = 'a password of their own'
let controller: TestController
let company: Company
let manager: Api

beforeAll(async () => {
  controller = await startTestController()
  company = await controller.store.companies.addCompany('Acme')
  manager = await controller.join(company, {
    email: newEmail('manager'),
    roles: ['COMPANY_MANAGER'],
  })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const invite = async (email: string) => {
  const answer = await manager.send('POST', '/users/invite', { form: { email } })
  return (answer.json as Invitation).accept_url ?? ''
}

test.each([
  ['/invitation', 'text/html; charset=utf-8'],
  ['/invitation/', 'text/html; charset=utf-8'],
  ['/password-reset', 'text/html; charset=utf-8'],
  ['/pages/set-password.js', 'text/javascript; charset=utf-8'],
  ['/pages/set-password.css', 'text/css; charset=utf-8'],
])('%s is served with a policy that lets nothing else in', async (path, type) => {
  const { status, headers, text } = await request(controller.baseUrl, 'GET', path)
  expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type })
  const policy = headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'; script-src 'self'")
  expect(policy).not.toMatch(/unsafe|http|\*/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(text).not.toMatch(/https?:|<style|<script>|javascript:| on\w+=/)
})

test('there is nothing else beside them', async () => {
  for (const path of ['/pages/routes.ts', '/pages/..%2fapp.ts', '/pages/', '/invitation/x'])
    expect(problem(await request(controller.baseUrl, 'GET', path)).code).toBe('route_not_found')
})

const signIn = async (email: string, given = password) =>
  (
    await request(controller.baseUrl, 'POST', '/v1/users/auth', {
      form: { email, password: given },
    })
  ).status

describe.skipIf(browserSkipReason)('in a browser', () => {
  let page: Page
  beforeAll(async () => {
    page = await startPage()
  })
  afterAll(() => page?.[Symbol.asyncDispose]())

  const text = (id: string) => page.ask<string>(`document.getElementById('${id}').textContent`)
  /** Fills the form in and presses the button, as a person does. */
  const fill = (first: string, second = first) =>
    page.ask(`(() => {
      document.getElementById('password').value = ${JSON.stringify(first)}
      document.getElementById('repeated').value = ${JSON.stringify(second)}
      document.getElementById('send').click()
    })()`)
  const says = (id: string, wanted: string) =>
    until(`"${wanted}"`, async () => (await text(id)).includes(wanted))

  test('somebody joins with the link of an invitation', async () => {
    const email = newEmail('invited')
    await page.open(await invite(email))
    expect(await text('title')).toBe('Join Temblor')
    expect(await page.ask("document.getElementById('email').value")).toBe(email)
    await fill(password, 'mistyped')
    await says('problem', 'differ')
    await fill('short')
    await says('problem', 'at least 12')
    expect(await signIn(email)).toBe(401)
    await fill(password)
    await says('intro', 'You have joined')
    expect(await signIn(email)).toBe(200)
    expect(await page.ask('location.hash')).toBe('')
    expect(await page.ask("getComputedStyle(document.getElementById('form')).display")).toBe('none')
  })

  test('a link that is not whole, or used, says so', async () => {
    const email = newEmail('used')
    const link = await invite(email)
    await page.open(link.replace(/&code=.*/, ''))
    expect(await text('intro')).toContain('not whole')
    await page.open(link.replace(/code=.*/, 'code=used'))
    await fill(password)
    await says('problem', 'do not belong together')
    await page.open(link)
    await fill(password)
    await says('intro', 'You have joined')
  })

  test('markup in a link is text', async () => {
    const markup = '<img src=x onerror=document.title="owned">'
    await page.open(
      `${controller.baseUrl}/invitation#company=x&email=${encodeURIComponent(markup)}&code=x`,
    )
    expect(await page.ask("document.getElementById('email').value")).toBe(markup)
    expect(await page.ask('document.title')).toBe('Temblor')
    expect(await page.ask('document.images.length')).toBe(0)
  })

  test('a user sets a new password with the link of a mail', async () => {
    await using mail: MailServer = await startMailServer()
    await using mailing = await startTestController({
      TEMBLOR_PUBLIC_URL: 'http://temblor.example.org',
      TEMBLOR_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      TEMBLOR_MAIL_FROM: 'temblor@example.org',
    })
    const place = await mailing.store.companies.addCompany('Acme')
    const email = newEmail('forgetful')
    await mailing.add(place.id, { email })
    await request(mailing.baseUrl, 'POST', '/v1/users/auth/password/reset', { form: { email } })
    const link = linkIn(await mail.mailTo(email))
    await page.open(link.replace('http://temblor.example.org', mailing.baseUrl))
    expect(await text('title')).toBe('New password')
    await fill(password)
    await says('intro', 'new password is set')
    const answer = await request(mailing.baseUrl, 'POST', '/v1/users/auth', {
      form: { email, password },
    })
    expect(answer.status).toBe(200)
  })

  test('nothing went against the policy', () => {
    // Refusals of the API are logged by browsers, too.
    expect(page.complaints.filter((one) => !/status of 40[01]/.test(one))).toEqual([])
  })
})
