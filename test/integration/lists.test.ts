import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Attack } from '../../shared/api/records.ts'
import { startAgent, untilTargetable, type FurtherAgent } from '../support/agent.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { addTeam, addUser } from '../support/people.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'
import { elapse } from '../support/until.ts'

interface Page {
  readonly pageNumber: number
  readonly pageSize: number
  readonly pageToken: string | null
  readonly items: Attack[]
}

const tiny = cpuAttack('-l 1 -p 1')
const long = cpuAttack('-l 600 -p 1')

let service: Service
let api: Api
let neighbour: Api
let agent: FurtherAgent
/** Attacks that are over, the newest first. */
let over: string[]
/** Attacks that run, the newest first. */
let active: string[]

beforeAll(async () => {
  service = await startService()
  api = service.owner
  const company = service.local.company.name
  const team = await addTeam(service, 'Neighbours', company)
  const who = { company, team: team.name, teamRole: 'TEAM_USER' }
  neighbour = await addUser(service, 'n@b.example', who)
  agent = startAgent('host-b', team.join)
  await untilTargetable(neighbour, 'host-b')
  over = await several(7, tiny)
  for (const id of over) await api.finished(id)
  active = await several(3, long)
})
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

/** Creates attacks at different milliseconds; the newest first. */
async function several(count: number, body: Record<string, unknown>): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    ids.unshift(await api.attack(body))
    await elapse(2)
  }
  return ids
}
const guids = (list: readonly Attack[]) => list.map((one) => one.guid)
const list = async (path: string) => guids(await api.get<Attack[]>(path))
const page = (path: string) => api.get<Page>(path)

/** All pages of a list; `between` is done after each of them. */
async function pages(path: string, between: () => Promise<unknown> = async () => {}) {
  const all: Page[] = []
  const sep = path.includes('?') ? '&' : '?'
  for (let token: string | null | undefined; token !== null;) {
    const one: Page = await page(token ? `${path}${sep}pageToken=${token}` : path)
    all.push(one)
    token = one.pageToken
    if (all.length > 50) throw new Error('The pages do not end.')
    await between()
  }
  return all
}
const itemsOf = (all: readonly Page[]) => all.flatMap((one) => guids(one.items))

describe('lists', () => {
  test('all, those that run and those that are over, the newest first', async () => {
    expect(await list('/attacks')).toEqual([...active, ...over])
    expect(await list('/attacks/active')).toEqual(active)
    expect(await list('/attacks/completed')).toEqual(over)
  })

  test('pageSize is how many at most', async () => {
    expect(await list('/attacks?pageSize=2')).toEqual(active.slice(0, 2))
    expect(await list('/attacks/completed?pageSize=3')).toEqual(over.slice(0, 3))
    expect(await list('/attacks?pageSize=100000')).toEqual([...active, ...over])
  })

  test('an empty pageSize is as none', async () => {
    expect(await list('/attacks?pageSize=')).toEqual([...active, ...over])
  })

  test.each(['x', '-1', '1.5', '1e2', '0x10', ' 5', '99999999'])(
    'pageSize %j is refused',
    async (size) => {
      for (const path of ['/attacks', '/attacks/paged', '/attacks/active/paged', '/attacks/range'])
        expect(
          problem(await api.send('GET', `${path}?pageSize=${encodeURIComponent(size)}`)),
        ).toEqual({ status: 400, code: 'invalid_body' })
    },
  )

  test('a source in any case filters: all of these are Adhoc, none is of a scenario', async () => {
    for (const source of ['adhoc', 'Adhoc', 'ADHOC', ''])
      expect(await list(`/attacks?source=${source}`)).toEqual([...active, ...over])
    for (const source of ['scenario', 'Scenario'])
      for (const path of ['/attacks', '/attacks/active', '/attacks/completed'])
        expect(await list(`${path}?source=${source}`)).toEqual([])
    expect(await page('/attacks/paged?source=scenario')).toMatchObject({
      items: [],
      pageToken: null,
    })
  })

  test('another team sees none of them', async () => {
    for (const path of ['/attacks', '/attacks/active', '/attacks/completed'])
      expect(await neighbour.get(path)).toEqual([])
    for (const path of ['/attacks/paged', '/attacks/range', '/attacks/active/paged'])
      expect(await neighbour.get(path)).toMatchObject({ items: [], pageToken: null })
  })
})

describe('pages', () => {
  test.each([
    ['/attacks/paged', () => [...active, ...over]],
    ['/attacks/active/paged', () => active],
    ['/attacks/completed/paged', () => over],
    ['/attacks/range', () => [...active, ...over]],
  ])('%s gives every attack once, in order, whatever the size', async (path, expected) => {
    for (const size of [1, 2, 3, 10, 1000]) {
      const all = await pages(`${path}?pageSize=${size}`)
      expect(itemsOf(all)).toEqual(expected())
      expect(all.map((one) => one.pageNumber)).toEqual(all.map((_, at) => at + 1))
      expect(new Set(all.map((one) => one.pageSize))).toEqual(new Set([size]))
      expect(all.length).toBe(Math.ceil(expected().length / size))
    }
  })

  test('without a size hold 1,000', async () => {
    expect(await page('/attacks/paged')).toMatchObject({
      pageNumber: 1,
      pageSize: 1000,
      pageToken: null,
    })
    expect((await page('/attacks/paged?pageSize=5000')).pageSize).toBe(1000)
  })

  test('stay what they are while new attacks arrive', async () => {
    const before = await list('/attacks')
    const arrived: string[] = []
    const all = await pages('/attacks/paged?pageSize=3', async () =>
      arrived.push(await api.attack(tiny)),
    )
    expect(itemsOf(all)).toEqual(before)
    for (const id of arrived) await api.finished(id)
    expect(await list('/attacks')).toEqual([...arrived.toReversed(), ...before])
  })

  test('of what runs go on when the attack at their edge has ended', async () => {
    const more = await several(3, long)
    const running = [...more, ...active]
    const first = await page('/attacks/active/paged?pageSize=2')
    expect(guids(first.items)).toEqual(running.slice(0, 2))
    const edge = running[1] ?? ''
    await api.halt(edge)
    await api.finished(edge)
    const second = await api.send(
      'GET',
      `/attacks/active/paged?pageSize=2&pageToken=${first.pageToken}`,
    )
    expect(second).toMatchObject({ status: 200 })
    expect(guids((second.json as Page).items)).toEqual(running.slice(2, 4))
  })

  test('a token that is none is refused', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000'
    for (const token of ['x', '2', `2.${nobody}`, '.', '2.', '%00', 'x'.repeat(201), '-1.x'])
      for (const path of ['/attacks/paged', '/attacks/active/paged', '/attacks/range'])
        expect(problem(await api.send('GET', `${path}?pageToken=${token}`))).toEqual({
          status: 400,
          code: 'invalid_body',
        })
  })

  test('a token of another team is refused', async () => {
    const { pageToken } = await page('/attacks/paged?pageSize=1')
    const answer = await neighbour.send('GET', `/attacks/paged?pageToken=${pageToken}`)
    expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
  })
})

const times = async () => (await api.attacks()).map((one) => Date.parse(one.created_at))
const inRange = async (query: string) => guids((await page(`/attacks/range?${query}`)).items)
const iso = (ms: number) => encodeURIComponent(new Date(ms).toISOString())

describe('the range', () => {
  test('is of the times at which attacks were created, in both forms', async () => {
    const all = await list('/attacks')
    const at = await times()
    const [from = 0, to = 0] = [at[6], at[2]]
    const expected = all.slice(2, 7)
    expect(await inRange(`startTime=${iso(from)}&endTime=${iso(to)}`)).toEqual(expected)
    expect(await inRange(`startTime=${from}&endTime=${to}`)).toEqual(expected)
    expect(await inRange(`startTime=${from + 1}&endTime=${to - 1}`)).toEqual(expected.slice(1, -1))
    expect(await inRange(`startTime=${from}`)).toEqual(all.slice(0, 7))
    expect(await inRange(`endTime=${to}`)).toEqual(all.slice(2))
    expect(await inRange(`startTime=${to}&endTime=${from}`)).toEqual([])
    expect(await inRange('startTime=&endTime=')).toEqual(all)
    expect(await inRange('startTime=2020-01-01&endTime=2020-02-01')).toEqual([])
    const paged = await pages(`/attacks/range?pageSize=2&startTime=${from}&endTime=${to}`)
    expect(itemsOf(paged)).toEqual(expected)
  })

  test.each(['soon', '1e400', '99999999999999999999', '-', '2026-13-01', '2026-01-01T25:00:00Z'])(
    'a time %j that is none is refused by name',
    async (time) => {
      for (const name of ['startTime', 'endTime']) {
        const answer = await api.send('GET', `/attacks/range?${name}=${time}`)
        expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
        expect(answer.text).toContain(name)
      }
    },
  )
})
