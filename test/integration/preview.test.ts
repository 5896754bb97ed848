import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AttackPreview } from '../../shared/api/attacks.ts'
import { openRedis, type Redis } from '../../controller/store/redis.ts'
import { startAgent, untilTargetable, type FurtherAgent } from '../support/agent.ts'
import { cpuAttack, type Api, type AttackRequest } from '../support/api.ts'
import {
  dockerSkipReason,
  needsDocker,
  targetContainers,
  untilKnown,
  type TargetContainer,
  type TargetContainers,
} from '../support/docker.ts'
import { addTeam, addUser } from '../support/people.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'
import { namesIn } from '../support/redis.ts'

let service: Service
let api: Api
/** A manager of a team of its own that no other test of this file touches. */
let manager: Api
let redis: Redis
let agents: FurtherAgent[]
let joinLine: string

beforeAll(async () => {
  service = await startService({ TEMBLOR_IDENTIFIER: 'first' })
  api = service.owner
  redis = openRedis(service.local.redisUrl)
  const company = service.local.company.name
  const team = await addTeam(service, 'Preview', company)
  joinLine = team.join
  const who = { company, team: team.name, teamRole: 'TEAM_MANAGER' }
  const mute = { DOCKER_HOST: 'unix:///nowhere.sock' }
  agents = [
    startAgent('web-1', team.join, { TEMBLOR_TAGS: 'role=web', ...mute }),
    startAgent('web-2', team.join, {
      TEMBLOR_TAGS: 'role=web',
      TEMBLOR_MAX_PERCENT: '10',
      ...mute,
    }),
    startAgent('db-1', team.join, {
      TEMBLOR_TAGS: 'role=db',
      TEMBLOR_MAX_LENGTH_SECONDS: '5',
      ...mute,
    }),
    startAgent('gone', team.join, { TEMBLOR_TAGS: 'role=web', ...mute }),
    startAgent('quiet', team.join, { TEMBLOR_TAGS: 'role=web', ...mute }),
  ]
  manager = await addUser(service, 'm@p.example', who)
  for (const { identifier } of agents) await untilTargetable(manager, identifier)
  await manager.send('DELETE', '/clients/gone')
  agents.find((one) => one.identifier === 'quiet')?.process.child.kill('SIGKILL')
  await until(
    'quiet counts as silent',
    async () =>
      (await manager.activeClients()).some((one) => one.identifier === 'quiet' && !one.targetable),
    30_000,
    apiPollMs,
  )
})
afterAll(async () => {
  redis?.disconnect()
  await Promise.all(agents.map((one) => one[Symbol.asyncDispose]()))
  await service?.[Symbol.asyncDispose]()
})

async function preview(body: AttackRequest, by: Api = manager): Promise<AttackPreview> {
  const answer = await by.send('POST', '/attacks/preview', { json: body })
  if (answer.status !== 200) throw new Error(`preview: ${answer.status} ${answer.text}`)
  return answer.json as AttackPreview
}
const cpu = (target: Record<string, unknown>, flags = '-l 1 -p 5') => cpuAttack(flags, target)
const hit = ({ would_hit: list }: AttackPreview) => list.map((one) => one.client_id).toSorted()
const cannot = ({ would_hit: list }: AttackPreview) =>
  Object.fromEntries(list.map((one) => [one.client_id, one.cannot]))
const reasons = ({ would_not_hit: list }: AttackPreview) =>
  Object.fromEntries(list.map((one) => [one.client_id, one.reason]))

describe('who would be hit', () => {
  test('at random, one among all that could be', async () => {
    const found = await preview(cpu({ type: 'Random' }))
    expect(found).toMatchObject({
      command_type: 'cpu',
      length_seconds: 1,
      params: { lengthSeconds: 1, percent: 5 },
      would_start: true,
      problem: null,
      drawn: { count: 1, of: 3, unit: 'hosts' },
      missing: [],
    })
    expect(hit(found)).toEqual(['db-1', 'web-1', 'web-2'])
  })

  test('of hosts that are named, why not those that are revoked or silent', async () => {
    const exact = ['web-1', 'gone', 'quiet']
    const found = await preview(cpu({ type: 'Exact', exact }))
    expect(reasons(found)).toEqual({ gone: 'revoked', quiet: 'silent' })
    expect(found).toMatchObject({ would_start: false, missing: ['gone', 'quiet'] })
  })

  test('at random, why not those that are revoked or silent', async () => {
    const found = await preview(cpu({ type: 'Random' }))
    expect(reasons(found)).toEqual({ gone: 'revoked', quiet: 'silent' })
  })

  test('by tags, and why not the others', async () => {
    const found = await preview(cpu({ type: 'Random', tags: { role: 'web' }, percent: 100 }))
    expect(hit(found)).toEqual(['web-1', 'web-2'])
    expect(found).toMatchObject({ would_start: true, drawn: null })
    expect(reasons(found)).toMatchObject({ 'db-1': 'tags' })
    for (const one of found.would_not_hit) expect(one.explanation).toMatch(/\w+ \w+/)
  })

  test('by name, exactly those', async () => {
    const found = await preview(cpu({ type: 'Exact', exact: ['web-1', 'db-1'] }))
    expect(hit(found)).toEqual(['db-1', 'web-1'])
    expect(found).toMatchObject({ would_start: true, drawn: null, missing: [] })
  })

  test('is what the attack then hits', async () => {
    const body = cpu({ type: 'Random', tags: { role: 'web' }, percent: 100 })
    const id = await manager.attack(body)
    expect((await manager.readAttack(id)).targets.toSorted()).toEqual(hit(await preview(body)))
    await manager.finished(id)
  })

  test('never a host of another team', async () => {
    expect(hit(await preview(cpu({ type: 'Random' }), api))).toEqual(['first'])
    const found = await preview(cpu({ type: 'Exact', exact: ['web-1'] }), api)
    expect(found).toMatchObject({ would_start: false, missing: ['web-1'], would_hit: [] })
  })
})

describe('what an agent could not do', () => {
  test('a host whose owner allows 10 % says so, and the others do not', async () => {
    const over = cannot(await preview(cpu({ type: 'Random', percent: 100 }, '-l 1 -p 11')))
    expect(over).toEqual({
      'web-1': null,
      'db-1': null,
      'web-2': expect.stringMatching(/10 %.*TEMBLOR_MAX_PERCENT/),
    })
    const under = cannot(await preview(cpu({ type: 'Random', percent: 100 }, '-l 1 -p 10')))
    expect(under['web-2']).toBeNull()
  })

  test('a host whose owner allows 5 s says so', async () => {
    const found = cannot(await preview(cpu({ type: 'Exact', exact: ['db-1'] }, '-l 6 -p 1')))
    expect(found['db-1']).toMatch(/TEMBLOR_MAX_LENGTH_SECONDS/)
  })

  test('is what the agent then answers', async () => {
    const body = cpu({ type: 'Exact', exact: ['web-2'] }, '-l 1 -p 50')
    const expected = cannot(await preview(body))['web-2'] ?? 'nothing'
    const [execution] = await manager.finished(await manager.attack(body))
    expect(execution?.stage_lifecycle).toBe('Error')
    expect(execution?.output).toContain(expected)
  })
})

describe('why an attack would not start', () => {
  test.each<[string, Record<string, unknown>, RegExp, string[]]>([
    ['an unknown host', { type: 'Exact', exact: ['nobody', 'web-1'] }, /nobody/, ['nobody']],
    ['a silent host', { type: 'Exact', exact: ['quiet'] }, /quiet/, ['quiet']],
    ['a revoked host', { type: 'Exact', exact: ['gone'] }, /gone/, ['gone']],
    ['tags nobody carries', { type: 'Random', tags: { role: 'mail' } }, /role=mail/, []],
    ['more than there are', { type: 'Random', exact: 4 }, /4 hosts.*3/, []],
    ['no container', { type: 'Random', containers: 'all' }, /container/, []],
  ])('%s', async (_, target, words, missing) => {
    const found = await preview(cpu(target))
    expect(found).toMatchObject({ would_start: false, missing })
    expect(found.problem).toMatch(words)
    const refused = await manager.refused(cpu(target))
    expect(refused).toMatchObject({ status: 400, error: { code: 'target_not_found' } })
    expect(refused.error.message).toContain(found.problem)
  })

  test.each<[string, AttackRequest]>([
    ['an unknown type', { command: { type: 'cpus' }, target: { type: 'Random' } }],
    ['a bad flag', cpu({ type: 'Random' }, '-l 0')],
    ['a target that has no meaning', cpu({ type: 'Exact' })],
    ['providers', { command: { type: 'cpu', providers: ['aws'] }, target: { type: 'Random' } }],
    ['no target', { command: { type: 'cpu' } }],
  ])('%s is refused as the attack would be', async (_, body) => {
    const [one, other] = await Promise.all(
      ['/attacks/preview', '/attacks/new'].map((path) =>
        manager.send('POST', path, { json: body }),
      ),
    )
    if (!one || !other) throw new Error('no answer')
    expect(problem(one)).toEqual(problem(other))
    expect(problem(one).status).toBe(400)
  })
})

test('a viewer may look, who sees no attacks may not', async () => {
  const { company, team } = service.local
  const person = (email: string, teamRole: string) =>
    addUser(service, email, { company: company.name, team: team.name, teamRole })
  const viewer = await person('v@a.example', 'TEAM_VIEWER')
  expect(hit(await preview(cpu({ type: 'Random' }), viewer))).toEqual(['first'])
  const keeper = await person('k@a.example', 'TEAM_CREDENTIAL_MANAGER')
  const answer = await keeper.send('POST', '/attacks/preview', { json: cpu({ type: 'Random' }) })
  expect(problem(answer)).toEqual({ status: 403, code: 'forbidden' })
})

/** What agents and controllers write by themselves at any time, and who asks. */
const comesByItself =
  /rate:|session|:live$|:host:|bull|schema|:silence$|:controllers$|:busy-teams$|-turn$/

/** Every key of the store that an attack would change, with what is in it. */
async function stored(): Promise<Map<string, string>> {
  const names = (await namesIn(redis, '*')).filter((key) => !comesByItself.test(key))
  const dumps = await Promise.all(names.map((name) => redis.dumpBuffer(name)))
  return new Map(names.map((name, at) => [name, dumps[at]?.toString('hex') ?? '']))
}

test('touches nothing: the store is the same before and after', async () => {
  const id = await manager.attack(cpu({ type: 'Exact', exact: ['web-1'] }))
  await manager.finished(id)
  const before = await stored()
  expect(before.size).toBeGreaterThan(5)
  for (const target of [
    { type: 'Random' },
    { type: 'Random', percent: 100 },
    { type: 'Random', exact: 2, tags: { role: 'web' } },
    { type: 'Exact', exact: ['web-1', 'nobody'] },
  ])
    await manager.send('POST', '/attacks/preview', {
      json: cpu(target),
      headers: { 'idempotency-key': 'preview' },
    })
  expect(await stored()).toEqual(before)
  expect((await manager.attacks())[0]?.guid).toBe(id)
})

describe('containers', () => {
  needsDocker()
  let containers: TargetContainers
  let open: TargetContainer[]
  let guarded: TargetContainer
  beforeAll(async () => {
    if (dockerSkipReason) return
    containers = await targetContainers()
    open = [await containers.start({ app: 'web' }), await containers.start({ app: 'web' })]
    guarded = await containers.start({ app: 'web', 'temblor.protect': 'true' })
    await untilKnown(api, [...open, guarded])
    agents.push(
      startAgent('few', joinLine, { TEMBLOR_MAX_CONTAINERS: '1', TEMBLOR_TAGS: 'few=yes' }),
    )
  })
  afterAll(() => containers?.[Symbol.asyncDispose]())

  test('are listed one by one, and those that their owner protects with the reason', async () => {
    const labels = { app: 'web', 'temblor.test': containers.run }
    const found = await preview(cpuAttack('-l 1 -p 1', { type: 'Random' }, labels), api)
    expect(found.would_start).toBe(true)
    expect(found.would_hit.map((one) => [one.guest_id, one.guest_name, one.cannot])).toEqual(
      expect.arrayContaining(open.map((one) => [one.id, one.name, null])),
    )
    expect(found.would_hit.length).toBe(2)
    expect(found.would_not_hit).toContainEqual({
      client_id: 'first',
      guest_id: guarded.id,
      reason: 'protected',
      explanation: expect.stringMatching(/protect/),
    })
    const none = { app: 'none', 'temblor.test': containers.run }
    expect(await preview(cpuAttack('-l 1', { type: 'Random' }, none), api)).toMatchObject({
      would_start: false,
      would_hit: [],
      would_not_hit: expect.arrayContaining([
        expect.objectContaining({ client_id: 'first', reason: 'no_container' }),
      ]),
    })
  })

  test('more than the owner allows are named as what the agent could not do', async () => {
    const agent = agents.find((one) => one.identifier === 'few')
    await untilTargetable(manager, agent?.identifier ?? '')
    await untilKnown(manager, open)
    const body = cpuAttack('-l 1 -p 1', {
      type: 'Random',
      tags: { few: 'yes' },
      containers: { labels: { 'temblor.test': containers.run } },
      percent: 100,
    })
    const id = await manager.attack(body)
    const refused = (await manager.finished(id)).filter((one) => one.stage !== 'Successful')
    expect(refused.map((one) => one.output).join()).toContain('TEMBLOR_MAX_CONTAINERS')
    const said = (await preview(body)).would_hit.map((one) => one.cannot ?? '')
    expect(said.join()).toContain('TEMBLOR_MAX_CONTAINERS')
  })
})
