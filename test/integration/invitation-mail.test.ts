import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Company } from '../../controller/store/companies.ts'
import type { Invitation } from '../../shared/api/invitations.ts'
import type { User } from '../../shared/api/users.ts'
import type { Api } from '../support/api.ts'
import { request } from '../support/http.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { linkIn, startMailServer, type MailServer } from '../support/mail-server.ts'
import { problem } from '../support/problem.ts'
import { shortestMs } from '../support/quickest.ts'
import { until } from '../support/until.ts'

const site = 'https://temblor.example.org'
const newPassword = 'a new password of theirs'

let mail: MailServer
let controller: TestController
let company: Company
let email: string

beforeAll(async () => {
  mail = await startMailServer()
  controller = await startTestController({
    TEMBLOR_PUBLIC_URL: site,
    TEMBLOR_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    TEMBLOR_MAIL_FROM: 'Temblor <temblor@example.org>',
  })
  company = await controller.store.companies.addCompany('Acme')
})
afterAll(async () => {
  await controller?.[Symbol.asyncDispose]()
  await mail?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  email = newEmail('ann')
})

const codeIn = (link: string) => new URLSearchParams(new URL(link).hash.slice(1)).get('code') ?? ''
const signIn = (address: string, password: string) =>
  request(controller.baseUrl, 'POST', '/v1/users/auth', { form: { email: address, password } })

describe('an invitation by mail', () => {
  let manager: Api
  const invite = (address: string) =>
    manager.send('POST', `/companies/${company.id}/invites`, {
      json: [{ identifier: address, first_name: 'Ada', last_name: 'Löwe' }],
      headers: { host: 'evil.example' },
    })
  beforeEach(async () => {
    manager = await controller.join(company, {
      email: newEmail('manager'),
      roles: ['COMPANY_MANAGER'],
    })
  })

  test('lets somebody in whom the provider of another company has made a user without password', async () => {
    const invited = newEmail('squatted')
    const other = await controller.store.companies.addCompany(newEmail('Other'))
    const user = await controller.store.users.add(invited, '')
    await controller.store.companies.writeMembership(other.id, user.id, { roles: [], teams: {} })
    await invite(invited)
    const code = codeIn(linkIn(await mail.mailTo(invited)))
    const accept = (given: string) =>
      request(controller.baseUrl, 'POST', `/v1/companies/${company.id}/users`, {
        json: { email: invited, code: given, password: newPassword },
      })
    expect(problem(await accept('x'))).toMatchObject({ status: 401 })
    expect((await accept(code)).status).toBe(200)
    expect((await signIn(invited, newPassword)).status).toBe(200)
  })

  test('goes to the person alone, who joins with it', async () => {
    const invited = newEmail('invited')
    const answer = await invite(invited)
    expect(answer.json as Invitation[]).toMatchObject([{ accept_url: null, mailed: true }])
    const received = await mail.mailTo(invited)
    const link = linkIn(received)
    const inviter = manager.session.identifier
    expect(received.text).toContain(`${inviter} invites you to the company "Acme"`)
    expect(link).toContain(`${site}/invitation#`)
    expect(answer.text).not.toContain(codeIn(link))
    const listed = async () =>
      (await manager.get<User[]>(`/companies/${company.id}/users`)).find(
        ({ identifier }) => identifier === invited,
      )
    const name = { first_name: 'Ada', last_name: 'Löwe' }
    expect(await listed()).toMatchObject({ state: 'INVITED', ...name })
    const joined = await request(controller.baseUrl, 'POST', `/v1/companies/${company.id}/users`, {
      json: { email: invited, code: codeIn(link), password: newPassword },
    })
    expect(joined.status).toBe(200)
    expect((await signIn(invited, newPassword)).status).toBe(200)
    expect(await listed()).toMatchObject({ state: 'ACTIVE', ...name })
  })

  test('goes to nobody more than five times an hour, and to no address that is none', async () => {
    const invited = newEmail('popular')
    for (let n = 0; n < 5; n += 1) expect((await invite(invited)).status).toBe(200)
    const refused = await invite(invited)
    expect(problem(refused)).toEqual({ status: 429, code: 'too_many_requests' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
    expect((await invite(newEmail('other'))).status).toBe(200)
    for (const address of ['<ann@example.com>', 'ann"x@example.com'])
      expect(problem(await invite(address))).toEqual({ status: 400, code: 'invalid_body' })
  })
})

const mailHealth = async ({ baseUrl }: TestController) => {
  const health = (await request(baseUrl, 'GET', '/v1/health')).json
  return (health as { parts: Record<string, { status: string; message: string }> }).parts['mail']
}

describe('without a mail server', () => {
  test('the answer is the same, the log says why nothing comes, and links are of this server', async () => {
    const lines: string[] = []
    await using plain = await startTestController({}, (line) => void lines.push(line))
    const place = await plain.store.companies.addCompany('Acme')
    const manager = await plain.join(place, { email, roles: ['COMPANY_MANAGER'] })
    const asked = await request(plain.baseUrl, 'POST', '/v1/users/auth/password/reset', {
      form: { email },
    })
    expect(asked).toMatchObject({ status: 200, text: 'Success' })
    const log = lines.join('')
    expect(log).toContain('TEMBLOR_SMTP_URL')
    expect(log).not.toContain(email)
    const invited = newEmail('invited')
    const made = await manager.send('POST', '/users/invite', {
      form: { email: invited },
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    })
    const invitation = made.json as Invitation
    expect(invitation.mailed).toBe(false)
    expect(invitation.accept_url).toContain(`${plain.baseUrl}/invitation#`)
    expect(await mailHealth(plain)).toMatchObject({ status: 'ok' })
  })
})

test('a mail server that is away delays nothing, and the health says so', async () => {
  await using lonely = await startTestController({
    TEMBLOR_PUBLIC_URL: site,
    // Nobody listens there.
    TEMBLOR_SMTP_URL: 'smtp://127.0.0.1:1',
    TEMBLOR_MAIL_FROM: 'temblor@example.org',
  })
  const place = await lonely.store.companies.addCompany('Acme')
  const manager = await lonely.join(place, { email, roles: ['COMPANY_MANAGER'] })
  const tookMs = await shortestMs(async () => {
    const form = { email: newEmail('invited') }
    expect((await manager.send('POST', '/users/invite', { form })).status).toBe(200)
  })
  expect(tookMs).toBeLessThan(1_000)
  await until('the health says so', async () => (await mailHealth(lonely))?.status === 'warning')
  expect((await mailHealth(lonely))?.message).toContain('ECONNREFUSED')
  expect(await mailHealth(controller)).toMatchObject({ status: 'ok' })
})
