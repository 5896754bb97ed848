import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AttackPreview } from '../../shared/api/attacks.ts'
import { openControllers } from '../../controller/store/controllers.ts'
import { ownBootId } from '../../controller/own-host.ts'
import { openRedis } from '../../controller/store/redis.ts'
import type { Api, AttackRequest } from '../support/api.ts'
import { addUser } from '../support/people.ts'
import { problem } from '../support/problem.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { startService, type Service } from '../support/service.ts'
import { targetingRig } from '../support/targeting-rig.ts'

// The agent of this service would take this very machine down: its owner forbids it.
let service: Service
let owner: Api
let host: string
/** May do everything in the team, and nothing in the company. */
let manager: Api

beforeAll(async () => {
  service = await startService({ TEMBLOR_FORBID_SHUTDOWN: 'yes' })
  owner = service.owner
  const [client] = await owner.activeClients()
  host = client?.identifier ?? ''
  const { company, team } = service.local
  const roles = { company: company.name, team: team.name, teamRole: 'TEAM_MANAGER' }
  manager = await addUser(service, 'm@shutdown.example', roles)
})
afterAll(() => service?.[Symbol.asyncDispose]())

const shutdown = (
  args: string,
  target: Record<string, unknown> = { type: 'Random' },
  labels = {},
) =>
  ({
    command: { type: 'shutdown', args: args.split(' ').filter(Boolean) },
    target,
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
  }) satisfies AttackRequest

async function preview(body: AttackRequest, by: Api = owner): Promise<AttackPreview> {
  const answer = await by.send('POST', '/attacks/preview', { json: body })
  expect(answer.status).toBe(200)
  return answer.json as AttackPreview
}
const create = (body: AttackRequest, by: Api = owner) =>
  by.send('POST', '/attacks/new', { json: body })
const messageOf = (answer: { json: unknown }) =>
  (answer.json as { error: { message: string; details: Record<string, unknown> } }).error

describe('the host of a controller', () => {
  test('is known to every controller by its boot id', async () => {
    const redis = openRedis(service.local.redisUrl)
    try {
      expect(await openControllers(redis).bootIds()).toEqual([ownBootId()])
    } finally {
      redis.disconnect()
    }
  })

  test('is no candidate without the flag, and the preview says so', async () => {
    const answer = await create(shutdown('-r'))
    expect(problem(answer)).toEqual({ status: 400, code: 'target_not_found' })
    expect(messageOf(answer).message).toContain('--allow-controller-host')
    expect(await preview(shutdown('-r'))).toMatchObject({
      would_start: false,
      would_hit: [],
      would_not_hit: [{ client_id: host, reason: 'controller' }],
    })
  })

  test('is refused by name without the flag', async () => {
    const body = shutdown('-r', { type: 'Exact', exact: [host] })
    const answer = await create(body)
    expect(problem(answer)).toEqual({ status: 403, code: 'controller_host' })
    expect(messageOf(answer)).toMatchObject({
      message: expect.stringContaining(`A controller runs on ${host}`),
      details: { hosts: [host], flag: '--allow-controller-host' },
    })
    expect(await preview(body)).toMatchObject({
      would_start: false,
      problem: expect.stringContaining(`A controller runs on ${host}`),
    })
    expect(await owner.attacks()).toEqual([])
  })

  test('needs the rights of a company admin with the flag', async () => {
    const body = shutdown('-r --allow-controller-host')
    const answer = await create(body, manager)
    expect(problem(answer)).toEqual({ status: 403, code: 'controller_host' })
    expect(messageOf(answer).message).toContain('COMPANY_ADMIN or COMPANY_OWNER')
    expect(await preview(body, manager)).toMatchObject({
      would_start: false,
      problem: expect.stringContaining('COMPANY_ADMIN or COMPANY_OWNER'),
    })
  })

  test('is hit when both are there; the owner of the host has the last word', async () => {
    const body = shutdown('-r --allow-controller-host')
    expect(await preview(body)).toMatchObject({
      would_start: true,
      would_hit: [
        { client_id: host, cannot: expect.stringContaining('does not outlast the host') },
      ],
    })
    const id = await owner.attack(body)
    const [execution] = await owner.finished(id)
    expect(execution).toMatchObject({
      stage: 'InitializationFailed',
      reason: 'forbidden_by_owner',
    })
  })

  test('is spared by no other attack', async () => {
    const cpu = { command: { type: 'cpu', args: [] }, target: { type: 'Random' } }
    expect(await preview(cpu)).toMatchObject({ would_hit: [{ client_id: host }], warnings: [] })
  })
})

describe('what the preview of a shutdown says', () => {
  const admin = '--allow-controller-host'
  test.each([
    [admin, {}, ['The host powers off and will not come back by itself.']],
    [`${admin} -r`, {}, []],
    ['', { a: 'b' }, ['The container is stopped and will not come back by itself']],
    ['--crash', { a: 'b' }, []],
  ])('%s with labels %j warns of %j', async (args, labels, expected) => {
    const { warnings } = await preview(shutdown(args, { type: 'Random' }, labels))
    expect(warnings).toEqual(expected.map((text) => expect.stringContaining(text)))
  })

  test('--crash is for containers only', async () => {
    const answer = await create(shutdown('--crash'))
    expect(problem(answer)).toEqual({ status: 400, code: 'invalid_argument' })
    expect(messageOf(answer)).toMatchObject({
      message: expect.stringContaining('Only containers crash'),
      details: { field: 'command.args', flag: '--crash' },
    })
    const container = shutdown('--crash', { type: 'Random' }, { nobody: 'has-it' })
    expect(problem(await create(container))).toEqual({ status: 400, code: 'target_not_found' })
  })
})

describe('among several hosts', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startTestRedis()
  })
  afterAll(() => redis[Symbol.asyncDispose]())

  test('those of controllers are left out of the draw, and named ones refuse all', async () => {
    const rig = targetingRig(redis.redis)
    for (const name of ['h1', 'h2', 'h3']) await rig.claim(name)
    const spared = { sparedBootIds: ['boot of h1', 'boot of h2'] }
    for (let i = 0; i < 10; i += 1)
      expect(await rig.create({}, undefined, spared)).toMatchObject({ hosts: ['h3'] })
    expect(await rig.create({ type: 'Exact', exact: ['h2', 'h3'] }, undefined, spared)).toEqual({
      kind: 'controller',
      hosts: ['h2'],
    })
    expect(await rig.create({ type: 'Exact', exact: ['h3'] }, undefined, spared)).toMatchObject({
      hosts: ['h3'],
    })
    expect(await rig.create({ type: 'Exact', exact: ['h2', 'h3'] })).toMatchObject({
      hosts: ['h2', 'h3'],
    })
    expect(await rig.create({ exact: 2 }, undefined, spared)).toMatchObject({
      kind: 'few',
      matching: 1,
    })
  })
})
