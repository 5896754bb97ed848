import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SsoSetup, SsoTest } from '../../shared/api/sso.ts'
import { auditOf } from '../support/audit.ts'
import { request, type Answer } from '../support/http.ts'
import { newEmail } from '../support/in-process.ts'
import type { Begun, OAuthCompany } from '../support/oauth-company.ts'
import { startOAuthRig, type OAuthRig } from '../support/oauth-rig.ts'
import { problem } from '../support/problem.ts'
import { namesIn } from '../support/redis.ts'

/** What helps to set a provider up: what to copy, and a sign-in that changes nothing. */

let rig: OAuthRig
let one: OAuthCompany
let path: string

beforeAll(async () => {
  rig = await startOAuthRig()
  one = rig.one
  path = `/companies/${one.company.id}`
})
afterAll(() => rig?.[Symbol.asyncDispose]())

const state = async () => ({
  settings: await rig.controller.store.signInSettings.read(one.company.id),
  members: (await rig.controller.store.members.list(one.company.id)).toSorted((a, b) =>
    a.userId.localeCompare(b.userId),
  ),
  users: await rig.controller.redis.hlen('temblor:user-ids'),
  sessions: (await namesIn(rig.controller.redis, 'temblor:session:*')).toSorted(),
  tickets: (await namesIn(rig.controller.redis, 'temblor:oauth-ticket:*')).toSorted(),
  failures: await one.failures(),
})
const start = async (destination?: string) =>
  (await one.admin.send('POST', `${path}/sso/tests`, { json: { protocol: 'oauth', destination } }))
    .json as SsoTest
const resultOf = ({ testId }: SsoTest) => one.admin.get<SsoTest>(`${path}/sso/tests/${testId}`)
/** What a browser that opens the address gets. */
async function open(url: string): Promise<Begun> {
  const { pathname, search } = new URL(url)
  const answer = await request(rig.controller.baseUrl, 'GET', `${pathname}${search}`)
  if (answer.status !== 307) throw new Error(`${answer.status} ${answer.text}`)
  const setCookie = answer.headers.get('set-cookie') ?? ''
  const [, given = ''] = /oauth_state=([^;]+)/.exec(setCookie) ?? []
  return { url: new URL(answer.headers.get('location') ?? ''), state: given, setCookie }
}
/** A whole test with this person. */
async function tried(login: string): Promise<{ answer: Answer; result: SsoTest }> {
  const trial = await start()
  const begun = await open(trial.url)
  const answer = await one.comeBack(await one.atProvider(begun, login), begun.state)
  return { answer, result: await resultOf(trial) }
}

test('what to copy are the addresses that sign-ins use', async () => {
  const { oauth } = await one.admin.get<SsoSetup>(`${path}/sso/setup`)
  const { url } = await open(oauth.loginUrl)
  expect(url.searchParams.get('redirect_uri')).toBe(oauth.redirectUri)
})

test('a sign-in that changes nothing tells what it would have done, whether OAuth is on or not', async () => {
  await one.configure({ enabled: false })
  const known = newEmail('known')
  await rig.controller.add(one.company.id, { email: known, roles: ['COMPANY_MANAGER'] })
  const claims = { company_roles: ['COMPANY_OWNER'], team_roles: ['payments;TEAM_USER'] }
  const { login, email } = rig.person(claims)
  const before = await state()
  const entries = await auditOf(() => one.admin).leaves(async () => {
    const { answer, result } = await tried(login)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe(
      `${rig.controller.baseUrl}/?ssoTest=${result.testId}`,
    )
    expect(result).toMatchObject({
      protocol: 'oauth',
      state: 'PASSED',
      check: null,
      came: { isProven: true, issuer: rig.provider.issuer, email },
      outcome: {
        isNewMember: true,
        before: null,
        after: {
          roles: ['COMPANY_OWNER'],
          teams: [{ identifier: one.team.id, name: 'Payments', roles: ['TEAM_USER'] }],
        },
      },
    })
    expect(result.came?.claims).toEqual(
      expect.arrayContaining([
        { name: 'company_roles', values: ['COMPANY_OWNER'] },
        { name: 'email', values: [email] },
      ]),
    )
  })
  expect(entries).toMatchObject([{ action: 'company.sso-test', result: 'ok' }])
  rig.provider.people.set('known', { email: known, company_roles: ['COMPANY_USER'] })
  expect((await tried('known')).result.outcome).toMatchObject({
    isNewMember: false,
    before: { roles: ['COMPANY_MANAGER'], teams: [] },
    after: { roles: ['COMPANY_USER'], teams: [] },
  })
  expect(await state()).toEqual(before)
  await one.configure({ enabled: true })
  expect((await one.enter(login)).session.identifier).toBe(email)
})

test('tells which check failed, what came, and leaves no trace elsewhere', async () => {
  const { login, email } = rig.person({ company_roles: ['BOSS'] })
  const before = await state()
  const { answer, result } = await tried(login)
  expect(answer.status).toBe(303)
  expect(result).toMatchObject({
    state: 'REFUSED',
    check: 'claims',
    reason: expect.stringContaining('BOSS') as string,
    came: { isProven: true, email },
    outcome: null,
  })
  await one.configure({ clientSecret: 'wrong' })
  const other = (await tried(login)).result
  expect(other).toMatchObject({ state: 'REFUSED', check: 'provider', came: { isProven: false } })
  await one.configure()
  expect({ ...(await state()), settings: before.settings }).toEqual(before)
})

test('is over once it was answered, leads nowhere else, and needs to have been begun', async () => {
  const trial = await start('/company/security?tab=sso')
  const begun = await open(trial.url)
  const back = await one.atProvider(begun, rig.person().login)
  const answer = await one.comeBack(back, begun.state)
  const where = `/company/security?tab=sso&ssoTest=${trial.testId}`
  expect(answer.headers.get('location')).toBe(`${rig.controller.baseUrl}${where}`)
  expect(problem(await one.comeBack(back, begun.state)).code).toBe('sso_refused')
  await expect(open(trial.url)).rejects.toThrow('sso_refused')
  const evil = await start('https://evil.example')
  const led = await open(evil.url)
  const there = await one.comeBack(await one.atProvider(led, rig.person().login), led.state)
  expect(there.headers.get('location')).toBe(`${rig.controller.baseUrl}/?ssoTest=${evil.testId}`)
  const forged = evil.url.replace(evil.testId, trial.testId.replace(/^./, '0'))
  await expect(open(forged)).rejects.toThrow('sso_refused')
  const ofOther = (await start()).url.replace(one.company.name, rig.two.company.name)
  await expect(open(ofOther)).rejects.toThrow('sso_refused')
})

test('needs a provider', async () => {
  const company = await rig.controller.store.companies.addCompany(newEmail('Plain'))
  const admin = await rig.controller.join(company, {
    email: newEmail('admin'),
    roles: ['COMPANY_ADMIN'],
  })
  const json = { protocol: 'oauth' }
  const answer = await admin.send('POST', `/companies/${company.id}/sso/tests`, { json })
  expect(problem(answer)).toEqual({ status: 400, code: 'not_supported' })
})
