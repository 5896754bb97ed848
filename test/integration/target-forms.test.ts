import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Attack } from '../../shared/api/records.ts'
import { startAgent, untilTargetable, type FurtherAgent } from '../support/agent.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import {
  dockerSkipReason,
  needsDocker,
  targetContainers,
  untilKnown,
  type TargetContainer,
  type TargetContainers,
} from '../support/docker.ts'
import { addTeam, addUser } from '../support/people.ts'
import { startService, type Service } from '../support/service.ts'

/** Every form of a target that clients have been seen to send, carried out by real agents. */

let service: Service
let api: Api
let agents: FurtherAgent[]

const names = ['a-1', 'a-2', 'b-1', 'c-1']

beforeAll(async () => {
  service = await startService({ TEMBLOR_IDENTIFIER: 'host' })
  const company = service.local.company.name
  const team = await addTeam(service, 'Forms', company)
  const who = { company, team: team.name, teamRole: 'TEAM_MANAGER' }
  agents = names.map((name) =>
    startAgent(name, team.join, {
      TEMBLOR_TAGS: `zone=${name[0]},name=${name}`,
      DOCKER_HOST: 'unix:///nowhere.sock',
    }),
  )
  api = await addUser(service, 'm@f.example', who)
  for (const name of names) await untilTargetable(api, name)
})
afterAll(async () => {
  await Promise.all(agents.map((one) => one[Symbol.asyncDispose]()))
  await service?.[Symbol.asyncDispose]()
})

/** Starts it on the host with containers. */
async function runHere(target: Record<string, unknown>): Promise<Attack> {
  const id = await service.owner.attack(cpuAttack('-l 1 -p 1', target))
  return await service.owner.readAttack(id)
}

const hit = (attack: Attack) => Object.values(attack.target_containers).flat().toSorted()
const idsOf = (list: TargetContainer[]) => list.map((one) => one.id).toSorted()

describe('hosts', () => {
  const started: string[] = []

  test.each<[string, Record<string, unknown>, number, string[]]>([
    ['one at random', { type: 'Random' }, 1, names],
    ['a count as text, as the Python SDK sends it', { type: 'Random', exact: '2' }, 2, names],
    ['a count with hosts all', { type: 'Random', hosts: 'all', exact: 3 }, 3, names],
    ['all by count', { type: 'Random', exact: 4 }, 4, names],
    ['a percentage, rounded up', { type: 'Random', hosts: 'all', percent: 10 }, 1, names],
    ['half', { type: 'Random', percent: 50 }, 2, names],
    ['a little more than half', { type: 'Random', percent: 50.1 }, 3, names],
    ['all', { type: 'Random', hosts: 'all', percent: 100 }, 4, names],
    ['one by tags', { type: 'Random', tags: { zone: 'a' } }, 1, ['a-1', 'a-2']],
    [
      'all by a choice of tags',
      { type: 'Random', hosts: { multiSelectTags: { zone: ['a', 'b'] } }, percent: 100 },
      3,
      ['a-1', 'a-2', 'b-1'],
    ],
    [
      'keys and, values or',
      {
        type: 'Random',
        percent: 100,
        hosts: { multiSelectTags: { zone: ['a', 'b', 'nowhere'], name: ['a-2', 'b-1', 'c-1'] } },
      },
      2,
      ['a-2', 'b-1'],
    ],
    [
      'tags beside a choice of tags',
      {
        type: 'Random',
        percent: 100,
        tags: { zone: 'a' },
        multiSelectTags: { name: ['a-1', 'b-1'] },
      },
      1,
      ['a-1'],
    ],
    ['a list of names', { type: 'Exact', exact: ['a-1', 'c-1'] }, 2, ['a-1', 'c-1']],
    ['a name twice', { type: 'Exact', exact: ['a-1', 'a-1'] }, 1, ['a-1']],
    ['hosts.ids', { type: 'Exact', hosts: { ids: ['b-1'] } }, 1, ['b-1']],
    [
      'hosts.ids with a count as text, as the Python SDK sends it',
      { type: 'Exact', exact: '1', hosts: { ids: ['b-1'] } },
      1,
      ['b-1'],
    ],
    ['at random among ids', { type: 'Random', hosts: { ids: ['a-1', 'b-1'] } }, 1, ['a-1', 'b-1']],
    ['a type in small letters', { type: 'exact', exact: ['a-1'] }, 1, ['a-1']],
    ['native tags', { type: 'Random', tags: { 'os-type': 'Linux' }, percent: 100 }, 4, names],
  ])('%s', async (_, target, count, among) => {
    const id = await api.attack(cpuAttack('-l 1 -p 1', target))
    started.push(id)
    const attack = await api.readAttack(id)
    expect(attack.targets.length).toBe(count)
    expect(among).toEqual(expect.arrayContaining(attack.targets))
    expect(attack).toMatchObject({ total_clients: count, target_type: 'Host' })
    expect((await api.executions(id)).length).toBe(count)
  })

  test('all of these did what was asked', async () => {
    for (const id of started)
      for (const row of await api.finished(id)) expect(row.stage).toBe('Successful')
  })

  test('drawing hits everyone in time', async () => {
    const drawn = new Set<string>()
    for (let round = 0; round < 40 && drawn.size < names.length; round += 1) {
      const id = await api.attack(cpuAttack('-l 1 -p 1'))
      for (const one of (await api.readAttack(id)).targets) drawn.add(one)
    }
    expect([...drawn].toSorted()).toEqual(names)
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['more than there are', { type: 'Random', exact: 5 }, 'target_not_found'],
    ['a count and a percentage', { type: 'Random', exact: 1, percent: 10 }, 'invalid_target'],
    ['none', { type: 'Random', exact: 0 }, 'invalid_body'],
    ['0 percent', { type: 'Random', percent: 0 }, 'invalid_body'],
    ['101 percent', { type: 'Random', percent: 101 }, 'invalid_body'],
    ['a percentage as text', { type: 'Random', percent: '10' }, 'invalid_body'],
    ['Exact and nobody', { type: 'Exact' }, 'invalid_target'],
    ['Exact and a count only', { type: 'Exact', exact: 2 }, 'invalid_target'],
    ['a list with Random', { type: 'Random', exact: ['a-1'] }, 'invalid_target'],
    ['a regular expression', { type: 'Regex', exact: ['a.*'] }, 'invalid_target'],
    ['templates', { type: 'Random', template_id: 'x' }, 'not_supported|invalid_target'],
    ['providers', { type: 'Random', providers: ['aws'] }, 'not_supported|invalid_target'],
    [
      'trafficImpactMapping',
      { type: 'Random', trafficImpactMapping: { a: 1 } },
      'not_supp|invalid_t',
    ],
    [
      'a choice of nothing',
      { type: 'Random', hosts: { multiSelectTags: { zone: [] } } },
      'invalid_|target_not_found',
    ],
  ])('%s is refused', async (_, target, code) => {
    const before = (await api.attacks()).length
    const { status, error } = await api.refused(cpuAttack('-l 1 -p 1', target))
    expect(status).toBe(400)
    expect(error.code).toMatch(new RegExp(code))
    expect((await api.attacks()).length).toBe(before)
  })

  test('ORCA names templates only, and is told so by name', async () => {
    const body = { command: { template_id: 'x' }, target: { template_id: 'y' } }
    const { status, error } = await api.refused(body)
    expect(status).toBe(400)
    expect(error.message).toMatch(/template/)
  })
})

describe('containers', () => {
  needsDocker()
  let containers: TargetContainers
  let web: TargetContainer[]
  let db: TargetContainer
  let mine: () => Record<string, string[]>

  beforeAll(async () => {
    if (dockerSkipReason) return
    containers = await targetContainers()
    mine = () => ({ 'temblor.test': [containers.run] })
    web = [await containers.start({ app: 'web' }), await containers.start({ app: 'web' })]
    db = await containers.start({ app: 'db' })
    await untilKnown(service.owner, [...web, db])
  })
  afterAll(() => containers?.[Symbol.asyncDispose]())

  test('by labels, by a choice of labels, by ids: all of them', async () => {
    const labels = { app: 'web', 'temblor.test': containers.run }
    expect(hit(await runHere({ type: 'Random', containers: { labels } }))).toEqual(idsOf(web))
    const choice = { ...mine(), app: ['web', 'db'] }
    const all = await runHere({ type: 'Random', containers: { multiSelectLabels: choice } })
    expect(hit(all)).toEqual(idsOf([...web, db]))
    const ids = [db.id]
    expect(hit(await runHere({ type: 'Exact', containers: { ids } }))).toEqual([db.id])
    expect(hit(await runHere({ type: 'Random', containers: { ids } }))).toEqual([db.id])
  })

  test('so many, or such a share of them', async () => {
    const multiSelectLabels = { ...mine(), app: ['web', 'db'] }
    for (const [size, count] of [
      [{ exact: 1 }, 1],
      [{ exact: '2' }, 2],
      [{ percent: 34 }, 2],
      [{ percent: 100 }, 3],
    ] as const) {
      const attack = await runHere({ type: 'Random', containers: { multiSelectLabels }, ...size })
      expect(hit(attack).length).toBe(count)
      expect(attack.target_type).toBe('Container')
      const rows = await service.owner.finished(attack.guid)
      expect(rows.map((row) => row.stage)).toEqual(rows.map(() => 'Successful'))
    }
  })

  test('matching says which a selector means, and exactly one selector is given', async () => {
    const send = (json: unknown) => service.owner.send('POST', '/containers/match', { json })
    const { json } = await send({ multiSelectLabels: { ...mine(), app: ['web'] }, ids: null })
    const { matchedContainers: found } = json as { matchedContainers: { id: string }[] }
    expect(found.map((one) => one.id).toSorted()).toEqual(idsOf(web))
    expect(found[0]).toMatchObject({ clientId: 'host', labels: { app: 'web' } })
    expect(await send({ ids: [db.id] })).toMatchObject({
      status: 200,
      json: { matchedContainers: [{ id: db.id }] },
    })
    for (const body of [{}, { isAll: true, ids: [db.id] }, { isAll: false }, { ids: [] }])
      expect(await send(body)).toMatchObject({ status: 400 })
    const keys = await service.owner.get<{ labelKeys: string[] }>('/containers/labels')
    expect(keys.labelKeys).toEqual(expect.arrayContaining(['app', 'temblor.test']))
    expect(await service.owner.get(`/containers/${db.id}`)).toMatchObject({
      identifier: db.id,
      name: db.name,
      client_id: 'host',
    })
  })
})
