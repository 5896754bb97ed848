import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lookLimit } from '../../shared/api/attacks.ts'
import type { Attack } from '../../shared/api/records.ts'
import type { Api } from '../support/api.ts'
import { startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { elapse } from '../support/until.ts'

interface Page {
  readonly pageToken: string | null
  readonly items: readonly Attack[]
}

const containerId = 'c0ffee'.padEnd(64, '0')
let controller: TestController
let ann: Api
let bob: Api
let teamId: string
/** The name of each attack, by id. */
const names = new Map<string, string>()

beforeAll(async () => {
  controller = await startTestController()
  const { companies, hosts } = controller.store
  const company = await companies.addCompany('Acme')
  const team = await companies.addTeam(company, 'Payments')
  teamId = team.id
  const join = (email: string) =>
    controller.join(company, { email, teams: { [team.id]: ['TEAM_MANAGER'] } })
  ;[ann, bob] = await Promise.all([join('ann@example.com'), join('bob@example.com')])
  const labels = { app: 'web' }
  const container = { id: containerId, name: 'web', image: '', state: 'running', labels }
  // With letters that no id has, so that a text is not found in one by chance.
  for (const identifier of ['web-1', 'sql-1']) {
    const containers = identifier === 'web-1' ? [{ ...container, protected: false }] : []
    const inventory = { tags: {}, containers, capabilities: [], limits: null, facts: null }
    const host = { identifier, instanceId: identifier, bootId: identifier, version: '1', inventory }
    await hosts.claim(team.id, { ...host, address: '10.0.0.1:5' }, 600_000)
  }
  await make('cpu of ann', ann, 'cpu', ['-l', '61'], { type: 'Exact', exact: ['web-1'] })
  await make('latency of bob', bob, 'latency', ['-m', '250'], { type: 'Exact', exact: ['sql-1'] })
  await make('cpu in a container', bob, 'cpu', [], { type: 'Random', containers: 'all' })
  await make('cpu of bob, halted', bob, 'cpu', [], { type: 'Exact', exact: ['web-1', 'sql-1'] })
  await bob.halt([...names.keys()].at(-1) ?? '')
})
afterAll(() => controller?.[Symbol.asyncDispose]())

async function make(name: string, api: Api, type: string, args: string[], target: object) {
  names.set(await api.attack({ command: { type, args }, target }), name)
  await elapse(2)
}

const found = async (query: Record<string, string>, path = '/attacks/paged') => {
  const page = await ann.get<Page>(`${path}?${new URLSearchParams(query).toString()}`)
  return page.items.map(({ guid }) => names.get(guid))
}
const all = ['cpu of bob, halted', 'cpu in a container', 'latency of bob', 'cpu of ann']

describe('a list is narrowed down by the server', () => {
  test.each<[Record<string, string>, string[]]>([
    [{}, all],
    [{ type: '', stage: '', user: '', host: '', text: '', startTime: '' }, all],
    [{ type: 'latency' }, ['latency of bob']],
    [{ type: 'CPU' }, [all[0], all[1], all[3]] as string[]],
    [{ type: 'cp' }, []],
    [{ user: 'Ann@Example.com' }, ['cpu of ann']],
    [{ user: 'ann' }, []],
    [{ host: 'sql-1' }, ['cpu of bob, halted', 'latency of bob']],
    [{ host: 'sql' }, []],
    [{ text: 'SQL-' }, ['cpu of bob, halted', 'latency of bob']],
    [{ text: 'c0ffee0' }, ['cpu in a container']],
    [{ text: '-m 250' }, ['latency of bob']],
    [{ text: '.*' }, []],
    [{ type: 'cpu', user: 'bob@example.com', host: 'sql-1' }, ['cpu of bob, halted']],
    [{ stage: 'Pending', type: 'cpu' }, ['cpu in a container', 'cpu of ann']],
    [{ stage: 'UserHalted,Halt' }, ['cpu of bob, halted']],
  ])('%j', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test('by its id, and by time beside the rest, in all lists by page', async () => {
    const [[id = '', name] = []] = names
    expect(await found({ text: id })).toEqual([name])
    const { created_at } = (await ann.get<Attack>(`/attacks/${id}`)) as Attack
    const after = String(Date.parse(created_at) + 1)
    const ofCpu = { type: 'cpu' }
    expect(await found({ ...ofCpu, startTime: after })).toEqual(all.slice(0, 2))
    expect(await found({ ...ofCpu, endTime: after })).toEqual(['cpu of ann'])
    const active = '/attacks/active/paged'
    expect(await found({ ...ofCpu, startTime: after }, active)).toContain('cpu in a container')
    expect(await found({ ...ofCpu, endTime: after }, active)).toEqual(['cpu of ann'])
    expect(await found(ofCpu, '/attacks/range')).toEqual([all[0], all[1], all[3]])
    expect(await found({ type: 'latency' }, '/attacks/completed/paged')).toEqual([])
  })

  test('a stage that is none is refused by name, with those that there are', async () => {
    const answer = await ann.send('GET', '/attacks/paged?stage=UserHalted,Over')
    expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
    expect(answer.text).toContain('stage cannot be \\"Over\\". Allowed: Pending, ')
  })

  test('page after page gives each once, and looks at a bounded number however few fit', async () => {
    const times = [...Array(lookLimit + 50).keys()].map((at) => Date.now() + at)
    await Promise.all(times.map((startedMs) => addManual(startedMs)))
    const first = await cpu(null)
    expect(first).toMatchObject({ items: [], pageToken: expect.any(String) as string })
    const second = await cpu(first.pageToken)
    expect(second.items.map(({ guid }) => names.get(guid))).toEqual(all.slice(0, 2))
    const third = await cpu(second.pageToken)
    expect(third).toMatchObject({ items: [{ create_user: 'ann@example.com' }], pageToken: null })
  })
})

/** Two of cpu, from where a page before ended. */
function cpu(pageToken: string | null): Promise<Page> {
  const more = pageToken === null ? '' : `&pageToken=${pageToken}`
  return ann.get<Page>(`/attacks/paged?type=cpu&pageSize=2${more}`)
}

/** One of blackhole, as somebody starts it on a host itself. */
async function addManual(startedMs: number): Promise<void> {
  await controller.store.attacks.recordManual({
    teamId,
    type: 'blackhole',
    args: [],
    params: {},
    lengthSeconds: 60,
    attackId: randomUUID(),
    executionId: randomUUID(),
    host: 'web-1',
    container: undefined,
    startedMs,
  })
}
