import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { auditOf } from '../support/audit.ts'
import { temblorJson } from '../support/command.ts'
import { request, type Answer } from '../support/http.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { addSamlCompany, type SamlCompany } from '../support/saml-company.ts'
import type { ResponseOptions } from '../support/saml-idp.ts'
import { forgetEarlier, refusalsOf, type Refusals } from '../support/saml-refusals.ts'

/**
 * Responses that nobody should get in with. Each is refused with the same answer, makes no user, role or code,
 * leaves a trace with the check that failed; and its untouched twin gets in.
 */

let controller: TestController
let one: SamlCompany
let refusals: Refusals

beforeAll(async () => {
  controller = await startTestController()
  one = await addSamlCompany(controller, 'Hostile')
  refusals = refusalsOf(controller, one)
})
beforeEach(() => forgetEarlier(controller))
afterAll(() => controller?.[Symbol.asyncDispose]())

const owner = [['company:roles', 'COMPANY_OWNER']] as const
const minute = 60_000
const bare = (answer: Answer) => answer.text.replace(/"requestId":"[^"]+"/, '')
const post = (name: string) => one.post(one.build(), `${name}|||${one.app}|||/`)

describe('7: again', () => {
  test('of twenty at once one gets in, and none later', async () => {
    const { id, relayState } = await one.begin()
    for (const inResponseTo of [undefined, id]) {
      const xml = one.build({ inResponseTo })
      const relay = inResponseTo ? relayState : undefined
      const answers = await Promise.all(Array.from({ length: 20 }, () => one.post(xml, relay)))
      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(19)
      expect(problem(await one.post(xml, relay))).toMatchObject({ status: 401 })
    }
  })

  test('of twenty who show a code at once one gets the session', async () => {
    const answer = await one.post(one.build())
    const opened = await Promise.all(Array.from({ length: 20 }, () => one.exchange(answer)))
    expect(opened.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('8 and 9: for others, or at another time', () => {
  test.each<[string, string, () => Partial<ResponseOptions>]>([
    ['another audience', 'audience', () => ({ audience: 'https://other.example' })],
    ['no audience', 'audience', () => ({ audience: [] })],
    ['another recipient', 'recipient', () => ({ recipient: 'https://other.example/acs' })],
    ['another destination', 'destination', () => ({ destination: 'https://other.example/acs' })],
    ['another issuer', 'issuer', () => ({ issuer: 'https://other.example' })],
    [
      'a holder of a key',
      'subject',
      () => ({ method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' }),
    ],
    [
      'a transient name',
      'subject',
      () => ({ format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }),
    ],
    ['no address', 'subject', () => ({ email: 'nobody' })],
    ['two addresses', 'subject', () => ({ email: 'a@example.com,b@example.com' })],
    ['no success', 'status', () => ({ status: 'urn:oasis:names:tc:SAML:2.0:status:Requester' })],
    ['no conditions', 'times', () => ({ withoutConditions: true })],
    ['over', 'times', () => ({ notOnOrAfterMs: Date.now() - minute - 5_000 })],
    ['not yet', 'times', () => ({ notBeforeMs: Date.now() + minute + 5_000 })],
    [
      'the confirmation alone is over',
      'times',
      () => ({ confirmedUntilMs: Date.now() - minute - 5_000 }),
    ],
    [
      "the provider's session is over",
      'times',
      () => ({ sessionUntilMs: Date.now() - minute - 5_000 }),
    ],
    ['issued in the future', 'times', () => ({ issuedMs: Date.now() + minute + 5_000 })],
    ['issued long ago', 'times', () => ({ issuedMs: Date.now() - 12 * minute })],
    ['of the year 9999', 'times', () => ({ issuedMs: Date.parse('9999-12-31T00:00:00Z') })],
  ])('%s', async (_name, check, given) => {
    expect(await refusals.refusedAs(check, given())).toBe(303)
  })

  test('clocks may differ by less than a minute', async () => {
    const [late, early] = [Date.now() - minute + 10_000, Date.now() + minute - 10_000]
    const given = {
      notOnOrAfterMs: late,
      confirmedUntilMs: late,
      notBeforeMs: early,
      issuedMs: early,
    }
    expect(await one.post(one.build(given))).toMatchObject({ status: 303 })
  })

  test('a response that is signed says where it goes', async () => {
    const email = newEmail('victim')
    const build = (destination?: null) =>
      one.build({ email, ...(destination === null ? { destination } : {}) }, { what: 'response' })
    await refusals.refused(email, 'destination', () => one.post(build(null)))
    expect(await one.post(build())).toMatchObject({ status: 303 })
  })
})

describe('10 to 12: answers to other questions', () => {
  test('to no request', async () => {
    expect(await refusals.refusedAs('in_response_to', { inResponseTo: '_unknown' })).toBe(303)
  })

  test('to a request of the response alone', async () => {
    const { id, relayState } = await one.begin()
    const email = newEmail('victim')
    const build = (inner?: string) =>
      one.build({ email, inResponseTo: inner, outerInResponseTo: id })
    await refusals.refused(email, 'in_response_to', () => one.post(build('_other'), relayState))
    await refusals.refused(email, 'in_response_to', () => one.post(build(), relayState))
    expect(await one.post(build(id), relayState)).toMatchObject({ status: 303 })
  })

  test('to a request of settings that were changed since', async () => {
    const { id, relayState } = await one.begin()
    await one.configure()
    const email = newEmail('victim')
    const build = (inResponseTo: string) => one.build({ email, inResponseTo })
    await refusals.refused(email, 'in_response_to', () => one.post(build(id), relayState))
    const again = await one.begin()
    expect(await one.post(build(again.id), again.relayState)).toMatchObject({ status: 303 })
  })

  test('the provider begins where the company does not allow it', async () => {
    const email = newEmail('victim')
    await one.configure({ idpInitiated: 'false' })
    await refusals.refused(email, 'in_response_to', () => one.post(one.build({ email })))
    const { id } = await one.begin()
    expect(await one.post(one.build({ email, inResponseTo: id }), '')).toMatchObject({
      status: 303,
    })
    await one.configure()
  })

  test('of a company that has the same provider', async () => {
    const other = await addSamlCompany(controller, 'Same', one.key)
    await other.configure({ entityId: one.issuer })
    const { id, relayState } = await one.begin()
    const email = newEmail('shared')
    const build = () => one.build({ email, inResponseTo: id })
    const relayOfOther = `${other.company.name}|||${one.app}|||/`
    await refusals.refused(email, 'relay_state', () => one.post(build(), relayOfOther))
    const answer = await one.post(build(), relayState)
    expect((await one.exchange(answer)).json).toMatchObject({ company_id: one.company.id })
    expect(await other.placeOf(email)).toBeUndefined()
  })

  test.each([
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/a\r\nSet-Cookie: x=y', '/'],
    ['', '/'],
    ['/attacks?a=b#c', '/attacks?a=b#c'],
  ])('the destination %j leads to %s', async (destination, expected) => {
    const answer = await one.post(one.build(), `${one.company.name}|||${one.app}|||${destination}`)
    const location = new URL(answer.headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(one.app)
    expect(location.searchParams.get('destination')).toBe(expected)
    expect(answer.headers.has('set-cookie')).toBe(false)
  })

  test.each([
    ['another app', (app: string) => `NAME|||${app}x|||/`],
    ['one part', () => 'NAME'],
    ['four parts', (app: string) => `NAME|||${app}|||/|||x`],
  ])('a RelayState with %s', async (_name, relay) => {
    const email = newEmail('victim')
    const state = relay(one.app).replace('NAME', one.company.name)
    await refusals.refused(email, 'relay_state', () => one.post(one.build({ email }), state))
    expect(await one.post(one.build({ email }))).toMatchObject({ status: 303 })
  })

  test('a company that is not there, or without SAML, cannot be told apart', async () => {
    const plain = await controller.store.companies.addCompany(newEmail('Plain'))
    const begin = (companyName: string) =>
      request(
        controller.baseUrl,
        'GET',
        `/v1/users/auth/saml/login?companyName=${encodeURIComponent(companyName)}`,
      )
    const [known, unknown] = [await begin(plain.name), await begin('nobody')]
    expect(problem(known)).toEqual({ status: 401, code: 'sso_refused' })
    expect(bare(known)).toBe(bare(unknown))
    expect(bare(await post(plain.name))).toBe(bare(await post('nobody')))
  })
})

describe('23: claims that cannot be meant', () => {
  test.each<[string, NonNullable<ResponseOptions['attributes']>]>([
    ['no role', [['company:roles', 'COMPANY_GOD']]],
    ['lower case', [['company:roles', 'company_owner']]],
    ['two in one value', [['company:roles', 'COMPANY_USER,COMPANY_OWNER']]],
    ['a role of teams', [['company:roles', 'TEAM_USER']]],
    [
      'the attribute twice',
      [
        ['company:roles', 'COMPANY_USER'],
        ['company:roles', 'COMPANY_OWNER'],
      ],
    ],
    [
      'both formats of teams',
      [
        ['team:roles', 'Payments;TEAM_USER'],
        ['team:Payments', 'TEAM_MANAGER'],
      ],
    ],
    [
      'no such team',
      [
        ['company:roles', 'COMPANY_OWNER'],
        ['team:roles', 'Nowhere;TEAM_USER'],
      ],
    ],
    ['a team twice', [['team:roles', 'Payments;TEAM_USER', 'payments;TEAM_MANAGER']]],
    ['no role in a team', [['team:roles', 'Payments;']]],
    ['a team without roles', [['team:roles', 'Payments']]],
    ['a company role in a team', [['team:Payments', 'COMPANY_OWNER']]],
    ['an inherited name', [['team:constructor', 'TEAM_USER']]],
  ])('%s', async (_name, attributes) => {
    expect(await refusals.refusedAs('claims', { attributes })).toBe(303)
  })

  test('nothing of them is applied to somebody who is there', async () => {
    const email = newEmail('there')
    await one.enter({ email, attributes: owner })
    const bad = [
      ['company:roles', 'COMPANY_USER'],
      ['team:roles', 'Nowhere;TEAM_USER'],
    ] as const
    expect(problem(await one.post(one.build({ email, attributes: bad })))).toMatchObject({
      status: 401,
    })
    expect(await one.placeOf(email)).toEqual({ roles: ['COMPANY_OWNER'], teams: {} })
    await one.enter({ email, attributes: [['company:roles', 'COMPANY_USER']] })
    expect(await one.placeOf(email)).toEqual({ roles: ['COMPANY_USER'], teams: {} })
  })
})

test('who brings a hundred refused responses in a minute must wait, at no other address', async () => {
  const [there, elsewhere] = ['203.0.113.7', '203.0.113.8']
  await using behind = await controller.further({
    TEMBLOR_TRUSTED_PROXIES: '127.0.0.1',
    TEMBLOR_PUBLIC_URL: controller.baseUrl,
  })
  const postFrom = (SAMLResponse: string, address: string) =>
    request(behind.baseUrl, 'POST', '/v1/users/auth/saml/acs', {
      form: { SAMLResponse, RelayState: `${one.company.name}|||${one.app}|||/` },
      headers: { 'x-forwarded-for': address },
    })
  const statuses = new Map<number, number>()
  for (let round = 0; round < 11; round += 1)
    for (const { status } of await Promise.all(
      Array.from({ length: 10 }, () => postFrom('a*b', there)),
    ))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
  expect(Object.fromEntries(statuses)).toEqual({ 401: 100, 429: 10 })
  // All that anybody can cause is not kept for as long as the audit is.
  const told = await auditOf(() => one.admin).entries('?pageSize=200')
  expect(told.filter(({ from }) => from === there).length).toBeLessThanOrEqual(60)
  const proven = await auditOf(() => one.admin).leavesOne(() =>
    one.post(one.build({ recipient: 'https://other.example' })),
  )
  expect(proven).toMatchObject({ action: 'session.saml', code: 'recipient' })
  const good = Buffer.from(one.build()).toString('base64')
  const late = await postFrom(good, there)
  expect(problem(late)).toEqual({ status: 429, code: 'locked_out' })
  expect(Number(late.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  await temblorJson(['admin', 'user', 'unlock', '--address', there], controller.environment)
  expect((await postFrom(good, elsewhere)).status).toBe(303)
  const again = Buffer.from(one.build()).toString('base64')
  expect((await postFrom(again, there)).status).toBe(303)
})
