import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditEntry } from '../../shared/api/audit.ts'
import type { Api } from '../support/api.ts'
import { auditOf } from '../support/audit.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'

let controller: TestController
let owner: Api
let company: { id: string; name: string }
let team: { id: string; name: string }
const email = newEmail('owner')

beforeAll(async () => {
  controller = await startTestController()
  company = await controller.store.companies.addCompany('Acme')
  team = await controller.store.companies.addTeam(company as never, 'Team')
  owner = await controller.join(company, {
    email,
    roles: ['COMPANY_OWNER'],
    teams: { [team.id]: ['TEAM_MANAGER'] },
  })
  for (let round = 0; round < 12; round += 1) {
    await owner.send('POST', '/orgs', { form: { name: `Team ${round}` } })
    await owner.send('POST', '/apikeys', { json: { identifier: `key ${round}` } })
  }
  await controller.join(company, { email: newEmail('ann') })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const { entries } = auditOf(() => owner)

test('by page, period, action and actor', async () => {
  const all = await entries()
  expect(all.length).toBe(26)
  expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => all.length - index))
  const paged: AuditEntry[] = []
  let token: string | null = ''
  while (token !== null) {
    const more = token === '' ? '' : `&pageToken=${token}`
    const page: { items: AuditEntry[]; pageToken: string | null } = await owner.get(
      `/audit?pageSize=7${more}`,
    )
    paged.push(...page.items)
    token = page.pageToken
  }
  expect(paged).toEqual(all)
  const [first, last] = [all.at(20), all.at(10)] as [AuditEntry, AuditEntry]
  const period = await entries(`?start=${first.time}&end=${last.time}`)
  expect(period).toEqual(all.filter(({ time }) => time >= first.time && time < last.time))
  expect(period.length).toBeGreaterThan(3)
  const keys = await entries('?action=key.')
  expect(keys).toEqual(all.filter(({ action }) => action.startsWith('key.')))
  const own = await entries(`?actor=${email.toUpperCase()}&action=session.login`)
  expect(own).toMatchObject([{ actor: { name: email } }])
  for (const query of ['start=soon', 'end=1', 'pageToken=x', 'pageToken=0'])
    expect(problem(await owner.send('GET', `/audit?${query}`))).toEqual({
      status: 400,
      code: 'invalid_body',
    })
})

test('the reports that existing clients know, within an hour', async () => {
  const all = (await entries()).toReversed()
  const access = await owner.get<AuditEntry[]>('/reports/security/access')
  const events = await owner.get<AuditEntry[]>('/reports/security/event')
  expect(access.map(({ action }) => action)).toEqual(['session.login', 'session.login'])
  expect([...access, ...events].toSorted((a, b) => a.sequence - b.sequence)).toEqual(all)
  const far = 'start=2026-01-01T00:00:00.000Z&end=2026-01-01T01:00:00.001Z'
  expect(problem(await owner.send('GET', `/reports/security/event?${far}`)).status).toBe(400)
  expect(await owner.get(`/reports/security/event?${far.replace('.001', '.000')}`)).toEqual([])
})

test('as JSON lines, which is told as well', async () => {
  const before = (await entries()).toReversed()
  const answer = await owner.send('GET', '/audit/export')
  expect(answer.headers.get('content-type')).toMatch('application/x-ndjson')
  const lines = answer.text.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as AuditEntry)).toEqual(before)
  expect((await entries('?pageSize=1'))[0]).toMatchObject({ action: 'audit.export' })
})

test('only of the own company', async () => {
  const other = await controller.store.companies.addCompany('Other')
  const boss = await controller.join(other, { email: newEmail('boss'), roles: ['COMPANY_OWNER'] })
  const theirs = await boss.get<{ items: AuditEntry[] }>('/audit')
  expect(theirs.items).toMatchObject([{ company_id: other.id, action: 'session.login' }])
  expect((await boss.send('GET', '/audit/export')).text).not.toContain(company.id)
  expect(await boss.get('/reports/security/access')).toHaveLength(1)
  const foreign = await boss.send('GET', `/audit?teamId=${team.id}`)
  expect(problem(foreign)).toEqual({ status: 403, code: 'wrong_team' })
})
