import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Attack } from '../../shared/api/records.ts'
import { startAgent, untilTargetable, type FurtherAgent } from '../support/agent.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import type { RequestOptions } from '../support/http.ts'
import { addCompany, addTeam, addUser } from '../support/people.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'

const long = cpuAttack('-l 600 -p 1')
/** Every way to halt more than one attack. */
const ways = [
  ['DELETE', '/attacks'],
  ['POST', '/attacks/halt'],
  ['POST', '/halts'],
] as const

let service: Service
let agents: FurtherAgent[] = []
/** Runs and halts in the first team, nothing more. */
let user: Api
let viewer: Api
/** Of another team of the same company. */
let neighbour: Api
/** Of a team of another company. */
let stranger: Api
/** May halt in the whole company and belongs to no team. */
let coordinator: Api

beforeAll(async () => {
  service = await startService()
  const company = service.local.company.name
  const team = service.local.team.name
  const near = await addTeam(service, 'Neighbours', company)
  await addCompany(service, 'Elsewhere')
  const far = await addTeam(service, 'Far', 'Elsewhere')
  agents = [startAgent('host-b', near.join), startAgent('host-c', far.join)]
  const teamRole = 'TEAM_USER'
  user = await addUser(service, 'user@a.example', { company, team, teamRole })
  viewer = await addUser(service, 'view@a.example', { company, team, teamRole: 'TEAM_VIEWER' })
  neighbour = await addUser(service, 'n@b.example', { company, team: near.name, teamRole })
  stranger = await addUser(service, 's@c.example', {
    company: 'Elsewhere',
    team: far.name,
    teamRole,
  })
  coordinator = await addUser(service, 'all@a.example', {
    company,
    companyRole: 'COMPANY_COORDINATOR',
  })
  await untilTargetable(neighbour, 'host-b')
  await untilTargetable(stranger, 'host-c')
})
afterAll(async () => {
  await Promise.all(agents.map((one) => one[Symbol.asyncDispose]()))
  await service?.[Symbol.asyncDispose]()
})

/** What is still being halted is listed by the next halt too. */
async function untilIdle(): Promise<void> {
  for (const api of [user, neighbour, stranger])
    await until(
      'nothing runs any more',
      async () => (await api.get<Attack[]>('/attacks/active')).length === 0,
      15_000,
      apiPollMs,
    )
}

const startAll = async () => ({
  own: await user.attack(long),
  near: await neighbour.attack(long),
  far: await stranger.attack(long),
})
const isActive = async (api: Api, id: string) => (await api.readAttack(id)).end_time === null
const guids = (json: unknown) => (json as Attack[]).map((one) => one.guid)

describe.each(ways)('%s %s', (method, path) => {
  beforeEach(untilIdle)

  test('with HALT_WRITE halts all that runs in the own team, and nothing of another one', async () => {
    const ids = await startAll()
    const second = await user.attack(long)
    const answer = await user.send(method, path)
    expect(answer).toMatchObject({ status: 202, reason: 'Accepted' })
    expect(guids(answer.json).toSorted()).toEqual([ids.own, second].toSorted())
    for (const id of [ids.own, second])
      expect(await user.finished(id)).toMatchObject([{ stage: 'UserHalted' }])
    expect(await isActive(neighbour, ids.near)).toBe(true)
    expect(await isActive(stranger, ids.far)).toBe(true)
    await neighbour.halt(ids.near)
    await stranger.halt(ids.far)
  })

  test('with HALT_ALL halts what runs in every team of the company, and in no other company', async () => {
    const ids = await startAll()
    const answer = await coordinator.send(method, path)
    expect(answer).toMatchObject({ status: 202 })
    expect(guids(answer.json).toSorted()).toEqual([ids.own, ids.near].toSorted())
    expect(await user.finished(ids.own)).toMatchObject([{ stage: 'UserHalted' }])
    expect(await neighbour.finished(ids.near)).toMatchObject([{ stage: 'UserHalted' }])
    for (const [api, id] of [
      [user, ids.own],
      [neighbour, ids.near],
    ] as const)
      expect(await api.readAttack(id)).toMatchObject({ halted_by: 'all@a.example' })
    expect(await isActive(stranger, ids.far)).toBe(true)
    await stranger.halt(ids.far)
  })

  test('with nothing to halt answers an empty list', async () => {
    expect(await coordinator.send(method, path)).toMatchObject({ status: 202, json: [] })
  })

  test('without either is forbidden and halts nothing', async () => {
    const id = await user.attack(long)
    expect(problem(await viewer.send(method, path))).toEqual({ status: 403, code: 'forbidden' })
    expect(await isActive(user, id)).toBe(true)
    await user.halt(id)
  })

  test('names a team only as its own', async () => {
    const id = await user.attack(long)
    const other = await user.send(method, `${path}?teamId=${neighbour.session.org_id}`)
    expect(problem(other)).toEqual({ status: 403, code: 'wrong_team' })
    expect(await isActive(user, id)).toBe(true)
    const own = await user.send(method, `${path}?teamId=${user.session.org_id}`)
    expect(guids(own.json)).toEqual([id])
  })
})

describe('the reason of a halt', () => {
  beforeEach(untilIdle)
  const why = { reason: 'the shop is slow 🐌\n"now"', reference: 'https://tickets.example/1' }
  const noted = { halt_reason: why.reason, halt_reference: why.reference }

  test.each<[string, (id: string) => string]>([
    ['one attack', (id) => `/attacks/${id}/halt`],
    ['all attacks', () => '/attacks/halt'],
    ['everything', () => '/halts'],
  ])('of %s is in the answer and in the record', async (_, path) => {
    const id = await user.attack(long)
    const answer = await user.send('POST', path(id), { json: why })
    const by = { guid: id, halted_by: 'user@a.example', ...noted }
    expect(answer).toMatchObject({ status: 202, json: [by] })
    await user.finished(id)
    expect(await user.readAttack(id)).toMatchObject({ ...by, stage: 'UserHalted' })
  })

  test('is that of the first halt, however often it is repeated', async () => {
    const id = await user.attack(long)
    await user.send('POST', `/attacks/${id}/halt`, { json: why })
    await user.send('POST', `/attacks/${id}/halt`, { json: { reason: 'later' } })
    await service.owner.halt(id)
    await user.finished(id)
    expect(await user.readAttack(id)).toMatchObject({ halted_by: 'user@a.example', ...noted })
  })

  test('does not come to an attack that was over before', async () => {
    const id = await user.attack(cpuAttack('-l 1 -p 1'))
    await user.finished(id)
    const answer = await user.send('POST', `/attacks/${id}/halt`, { json: why })
    expect(answer).toMatchObject({ status: 202, json: [{ guid: id, stage: 'Successful' }] })
    expect(await user.readAttack(id)).toMatchObject({ halted_by: null, halt_reason: null })
  })
})

const asJson = { 'content-type': 'application/json' }
describe('the body of a halt', () => {
  test.each<[string, RequestOptions]>([
    ['nothing', {}],
    ['nothing announced as JSON', { headers: asJson }],
    ['white space announced as JSON', { text: ' \r\n', headers: asJson }],
    ['null', { text: 'null', headers: asJson }],
    ['an empty object', { json: {} }],
    ['nulls', { json: { reason: null, reference: null } }],
    ['empty texts', { json: { reason: '', reference: '' } }],
    ['unknown keys', { json: { because: 1, reason: 'x' } }],
    ['1,000 characters', { json: { reason: 'x'.repeat(1_000) } }],
    ['a form', { form: { reason: 'x', reference: '' } }],
    ['an empty form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
  ])('may be %s', async (_, options) => {
    const one = await user.attack(long)
    const answer = await user.send('POST', `/attacks/${one}/halt`, options)
    expect(answer).toMatchObject({ status: 202, json: [{ guid: one }] })
    const all = await user.attack(long)
    const every = await user.send('POST', '/halts', options)
    expect(every.status).toBe(202)
    expect(guids(every.json)).toContain(all)
  })

  test.each<[string, RequestOptions]>([
    ['a list', { json: [] }],
    ['text', { json: 'now' }],
    ['a number as reason', { json: { reason: 5 } }],
    ['1,001 characters', { json: { reason: 'x'.repeat(1_001) } }],
    ['no JSON', { text: '{', headers: asJson }],
  ])('that is %s is refused, and nothing is halted', async (_, options) => {
    const id = await user.attack(long)
    for (const path of [`/attacks/${id}/halt`, '/attacks/halt', '/halts'])
      expect(problem(await user.send('POST', path, options))).toMatchObject({ status: 400 })
    expect(await isActive(user, id)).toBe(true)
    await user.halt(id)
  })

  // To halt must never fail for a body that says nothing.
  test('of a DELETE does not matter', async () => {
    for (const options of [
      { headers: asJson },
      { json: { reason: 'x' } },
      { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      { headers: { 'content-type': 'text/plain' } },
    ]) {
      const id = await user.attack(long)
      const answer = await user.send('DELETE', `/attacks/${id}`, options)
      expect({ options, status: answer.status }).toEqual({ options, status: 202 })
    }
  })
})
