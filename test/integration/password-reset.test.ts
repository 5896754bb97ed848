import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Company } from '../../controller/store/companies.ts'
import type { Api } from '../support/api.ts'
import { request, type Answer } from '../support/http.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { linkIn, startMailServer, type MailServer } from '../support/mail-server.ts'
import { problem } from '../support/problem.ts'
import { quickestMs, takeAsLong } from '../support/quickest.ts'
import { until } from '../support/until.ts'

const site = 'https://temblor.example.org'
const newPassword = 'a new password of theirs'
const invalid = { status: 401, code: 'invalid_credentials' }

let mail: MailServer
let controller: TestController
let company: Company
let email: string
/** The session that the user has before the reset. */
let before: Api

beforeAll(async () => {
  mail = await startMailServer()
  controller = await startTestController({
    TEMBLOR_PUBLIC_URL: `${site}/`,
    TEMBLOR_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    TEMBLOR_MAIL_FROM: 'Temblor <temblor@example.org>',
    // So that each request can come from an address of its own.
    TEMBLOR_TRUSTED_PROXIES: '127.0.0.1',
  })
  company = await controller.store.companies.addCompany('Acme')
})
afterAll(async () => {
  await controller?.[Symbol.asyncDispose]()
  await mail?.[Symbol.asyncDispose]()
})

let nextAddress = 0
/** Each from an address of its own, unless one is given. */
const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
  nextAddress += 1
  const own = `10.${nextAddress >> 16}.${(nextAddress >> 8) & 255}.${nextAddress & 255}`
  return request(controller.baseUrl, 'POST', `/v1${path}`, {
    form,
    headers: { 'x-forwarded-for': own, ...headers },
  })
}
const ask = (address: string, headers: Record<string, string> = {}) =>
  post('/users/auth/password/reset', { email: address }, headers)
const reset = (address: string, code: string, password = newPassword) =>
  post('/users/auth/password', { email: address, code, password })
const signIn = (address: string, password: string) =>
  post('/users/auth', { email: address, password })
const codeIn = (link: string) => new URLSearchParams(new URL(link).hash.slice(1)).get('code') ?? ''

async function mailedCode(address: string, count = 1): Promise<string> {
  await ask(address)
  return codeIn(linkIn(await mail.mailTo(address, count)))
}

beforeEach(async () => {
  email = newEmail('ann')
  before = await controller.join(company, { email })
})

/** What is the same in answers to whoever asks. */
const stable = ({ status, text, headers }: Answer) => ({
  status,
  text: text.replace(/"requestId":"[^"]+"/, ''),
  headers: [...headers.keys()].toSorted(),
})

describe('a new password by mail', () => {
  test('is set with the code; all sessions end, keys go on', async () => {
    const key = await before.send('POST', '/apikeys', { json: { identifier: 'nightly' } })
    const asked = await ask(email)
    expect(asked).toMatchObject({ status: 200, text: 'Success' })
    const { text, to } = await mail.mailTo(email)
    expect(to).toEqual([email])
    const link = linkIn({ text } as never)
    expect(link).toContain(`${site}/password-reset#email=${encodeURIComponent(email)}&code=`)
    expect((await before.send('GET', '/users/self')).status).toBe(200)
    expect((await reset(email.toUpperCase(), codeIn(link))).text).toBe('Success')
    expect((await before.send('GET', '/users/self')).status).toBe(401)
    const { renew_token: renewToken, company_id: companyId } = before.session
    const renewal = await post('/users/renew/rbac', { email, companyId, renewToken })
    expect(renewal.status).toBe(401)
    expect((await signIn(email, personsPassword)).status).toBe(401)
    expect((await signIn(email, newPassword)).status).toBe(200)
    const authorization = `Key ${key.text}`
    const withKey = await before.send('GET', '/users/self', { headers: { authorization } })
    expect(withKey.status).toBe(200)
    expect(problem(await reset(email, codeIn(link), 'another password'))).toEqual(invalid)
    expect((await signIn(email, newPassword)).status).toBe(200)
  })

  test('leads where the settings say, whatever the request says', async () => {
    const evil = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil',
    }
    expect((await ask(email, evil)).status).toBe(200)
    const { text } = await mail.mailTo(email)
    expect(text).toContain(`${site}/password-reset#`)
    expect(text).not.toContain('evil')
  })

  test('is not set with a replaced, foreign, made-up or expired code', async () => {
    const other = newEmail('other')
    await controller.join(company, { email: other })
    const replaced = await mailedCode(email)
    const code = await mailedCode(email, 2)
    const answers = [
      await reset(email, replaced),
      await reset(other, code),
      await reset(email, randomUUID()),
      await reset(newEmail('nobody'), code),
    ]
    expect(answers.map(problem)).toEqual(answers.map(() => invalid))
    expect(new Set(answers.map((one) => JSON.stringify(stable(one)))).size).toBe(1)
    expect((await before.send('GET', '/users/self')).status).toBe(200)
    expect((await reset(email, code)).status).toBe(200)
    const id = (await controller.store.users.findByEmail(other))?.id ?? ''
    await controller.store.passwordResets.put(id, 'a hash', 0)
    expect(await controller.store.passwordResets.use(id, 'a hash', 'x')).toBe(false)
    await controller.store.passwordResets.put(id, 'a hash', 60_000)
    expect(await controller.store.passwordResets.use(id, 'another', 'x')).toBe(false)
    expect(await controller.store.passwordResets.use(id, 'a hash', 'x')).toBe(true)
  })

  test('is set once by twenty at the same time', async () => {
    const code = await mailedCode(email)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => reset(email, code, `password number ${n}`)),
    )
    const won = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []))
    expect(won.length).toBe(1)
    expect((await signIn(email, `password number ${won[0]}`)).status).toBe(200)
  })

  test('has twelve characters; a shorter one is refused and uses up nothing', async () => {
    const code = await mailedCode(email)
    const short = await reset(email, code, 'eleven char')
    expect(problem(short)).toEqual({ status: 400, code: 'invalid_body' })
    expect((await reset(email, code)).status).toBe(200)
  })

  test('is not set any more once the user changed it', async () => {
    const code = await mailedCode(email)
    const changed = await before.send('PUT', '/users/auth/password', {
      form: { currentPassword: personsPassword, newPassword: 'chosen by themselves' },
    })
    expect(changed.status).toBe(200)
    expect(problem(await reset(email, code))).toEqual(invalid)
    expect((await signIn(email, 'chosen by themselves')).status).toBe(200)
  })

  test('counts wrong codes with wrong passwords, and a right one clears the count', async () => {
    const code = await mailedCode(email)
    for (let n = 0; n < 2; n += 1) {
      expect((await signIn(email, 'wrong')).status).toBe(401)
      expect((await reset(email, 'wrong')).status).toBe(401)
    }
    const other = newEmail('calm')
    await controller.join(company, { email: other })
    const calm = await mailedCode(other)
    expect((await reset(email, code)).status).toBe(200)
    for (let n = 0; n < 5; n += 1) expect((await reset(email, 'wrong')).status).toBe(401)
    expect(problem(await reset(email, code)).code).toBe('locked_out')
    expect(problem(await signIn(email, newPassword)).code).toBe('locked_out')
    expect((await reset(other, calm)).status).toBe(200)
  })
})

/** People to whom no mail goes. */
async function others(): Promise<Record<string, string>> {
  const revoked = newEmail('revoked')
  const id = await controller.add(company.id, { email: revoked })
  await controller.store.members.change(company.id, id, (now) => ({ ...now, state: 'REVOKED' }))
  const withoutPasswords = await controller.store.companies.addCompany(`SSO ${randomUUID()}`)
  const sso = newEmail('sso')
  await controller.add(withoutPasswords.id, { email: sso })
  await controller.store.authPreferences.change(withoutPasswords.id, (now) => ({
    ...now,
    passwordEnabled: false,
  }))
  return { unknown: newEmail('unknown'), revoked, sso }
}

describe('nobody learns who has a user', () => {
  test('the answer is the same, and only who may sign in with a password gets a mail', async () => {
    const people = await others()
    const known = stable(await ask(email))
    for (const address of Object.values(people)) expect(stable(await ask(address))).toEqual(known)
    // What was asked for last is sent last.
    await mailedCode(email, 2)
    const told = mail.mails.flatMap(({ to }) => to)
    for (const address of Object.values(people)) expect(told).not.toContain(address)
  })

  test('a code from before does not help who was revoked since', async () => {
    const code = await mailedCode(email)
    const id = (await controller.store.users.findByEmail(email))?.id ?? ''
    const set = (state: 'ACTIVE' | 'REVOKED') =>
      controller.store.members.change(company.id, id, (now) => ({ ...now, state }))
    await set('REVOKED')
    expect(problem(await reset(email, code))).toEqual(invalid)
    await set('ACTIVE')
    expect((await reset(email, code)).status).toBe(200)
  })

  test('asking and setting take as long for who is unknown', async () => {
    let known: string
    const ways = {
      askKnown: () => ask(known),
      askUnknown: () => ask(newEmail('unknown')),
      setKnown: () => reset(known, 'wrong'),
      setUnknown: () => reset(newEmail('unknown'), 'wrong'),
    }
    const alike = (best: Record<keyof typeof ways, number>) =>
      Math.abs(best.askKnown - best.askUnknown) < 5 && takeAsLong(best.setUnknown, best.setKnown)
    const best = await quickestMs(ways, alike, async () => {
      // Each round a new one: nobody is asked for often enough to be rationed or locked out.
      known = newEmail('timed')
      await controller.add(company.id, { email: known })
    })
    expect(best).toSatisfy(alike)
  })

  test('a user gets three mails in a quarter of an hour, an address asks for thirty', async () => {
    const count = () => mail.mails.filter(({ to }) => to.includes(email)).length
    for (let n = 0; n < 5; n += 1) expect((await ask(email)).text).toBe('Success')
    const other = newEmail('other')
    await controller.join(company, { email: other })
    await mailedCode(other)
    await until('three are there', () => count() === 3)
    expect(count()).toBe(3)
    // Who asks for mails is not locked out.
    expect((await signIn(email, personsPassword)).status).toBe(200)
    const from = { 'x-forwarded-for': '192.0.2.77' }
    const answers: Answer[] = []
    for (let n = 0; n < 31; n += 1) answers.push(await ask(newEmail('many'), from))
    expect(answers.slice(0, 30).map(({ status }) => status)).toEqual(Array(30).fill(200))
    const last = answers[30] as Answer
    expect(problem(last)).toEqual({ status: 429, code: 'locked_out' })
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ask(newEmail('elsewhere'))).status).toBe(200)
  })
})
