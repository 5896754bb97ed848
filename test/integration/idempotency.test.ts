import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRedis } from '../../controller/store/redis.ts'
import { startAgent, untilTargetable, type FurtherAgent } from '../support/agent.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { addTeam, addUser } from '../support/people.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'

const tiny = cpuAttack('-l 1 -p 1')

let service: Service
let owner: Api
let neighbour: Api
let agent: FurtherAgent
let lastKey = 0

beforeAll(async () => {
  service = await startService()
  owner = service.owner
  const company = service.local.company.name
  const team = await addTeam(service, 'Neighbours', company)
  neighbour = await addUser(service, 'n@b.example', {
    company,
    team: team.name,
    teamRole: 'TEAM_USER',
  })
  agent = startAgent('host-b', team.join)
  await untilTargetable(neighbour, 'host-b')
})
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

const newKey = () => `key-${(lastKey += 1)}`
const create = (key: string, json: unknown = tiny, api: Api = owner) =>
  api.send('POST', '/attacks/new', { json, headers: { 'Idempotency-Key': key } })
const count = async (api: Api = owner) => (await api.attacks()).length

test('the same key with the same body answers the same 201 and id, and starts nothing', async () => {
  const key = newKey()
  const before = await count()
  const first = await create(key)
  for (const _ of [1, 2, 3]) {
    const again = await create(key)
    expect(again).toMatchObject({ status: 201, reason: 'Created', text: first.text })
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
  }
  expect(await count()).toBe(before + 1)
  expect((await owner.executions(first.text)).length).toBe(1)
  await owner.finished(first.text)
  expect(await create(key)).toMatchObject({ status: 201, text: first.text })
  expect(await count()).toBe(before + 1)
})

test('the order of keys and white space do not make another body', async () => {
  const key = newKey()
  const first = await create(key)
  const { command, target } = tiny as { command: { type: string; args: string[] }; target: object }
  const turned = { target, command: { args: command.args, type: command.type } }
  expect(await create(key, turned)).toMatchObject({ status: 201, text: first.text })
  const spaced = await owner.send('POST', '/attacks/new', {
    text: JSON.stringify(tiny, null, 4),
    headers: { 'content-type': 'application/json; charset=utf-8', 'idempotency-key': key },
  })
  expect(spaced).toMatchObject({ status: 201, text: first.text })
})

test('another body is 409, names the header, and starts nothing', async () => {
  const key = newKey()
  const first = await create(key)
  const before = await count()
  for (const body of [
    cpuAttack('-l 1 -p 2'),
    cpuAttack('-p 1 -l 1'),
    { ...tiny, labels: { app: 'x' } },
  ]) {
    const answer = await create(key, body)
    expect(problem(answer)).toEqual({ status: 409, code: 'idempotency_conflict' })
    expect(answer.text).toContain('Idempotency-Key')
  }
  expect(await count()).toBe(before)
  expect(await create(key)).toMatchObject({ status: 201, text: first.text })
})

test('another key makes another attack, and so does none', async () => {
  const answers = [await create(newKey()), await create(newKey())]
  const none = await owner.send('POST', '/attacks/new', { json: tiny })
  expect(new Set([...answers, none].map((one) => one.text)).size).toBe(3)
})

test('a key is of one team: the neighbours may use it for something else', async () => {
  const key = newKey()
  const first = await create(key)
  const theirs = await create(key, cpuAttack('-l 1 -p 3'), neighbour)
  expect(theirs.status).toBe(201)
  expect(theirs.text).not.toBe(first.text)
  expect(await neighbour.readAttack(theirs.text)).toMatchObject({ targets: ['host-b'] })
  expect(await create(key)).toMatchObject({ text: first.text })
})

test('a key is of the team, whoever of it sends the request again', async () => {
  const key = newKey()
  const first = await create(key)
  const { company, team } = service.local
  const colleague = await addUser(service, 'c@a.example', {
    company: company.name,
    team: team.name,
    teamRole: 'TEAM_USER',
  })
  expect(await create(key, tiny, colleague)).toMatchObject({ status: 201, text: first.text })
})

test('who may not run attacks learns nothing by a key', async () => {
  const key = newKey()
  await create(key)
  const { company, team } = service.local
  const viewer = await addUser(service, 'v@a.example', {
    company: company.name,
    team: team.name,
    teamRole: 'TEAM_VIEWER',
  })
  expect(problem(await create(key, tiny, viewer))).toEqual({ status: 403, code: 'forbidden' })
})

test('a request that was refused does not use its key up', async () => {
  const key = newKey()
  const nowhere = cpuAttack('-l 1 -p 1', { type: 'Exact', exact: ['nobody'] })
  for (const body of [nowhere, nowhere, cpuAttack('-l 0'), { command: 5 }])
    expect(problem(await create(key, body)).status).toBe(400)
  expect(await create(key)).toMatchObject({ status: 201 })
})

test('a key has 1 to 128 characters', async () => {
  const before = await count()
  expect(await create('k'.repeat(128))).toMatchObject({ status: 201 })
  const long = await create('k'.repeat(129))
  expect(problem(long)).toEqual({ status: 400, code: 'invalid_body' })
  expect(long.text).toMatch(/idempotency-key/i)
  expect(await count()).toBe(before + 1)
})

test('strange keys are keys like any other', async () => {
  for (const key of [
    '*',
    '{t:x}',
    'a:b',
    'a b',
    '"quoted"',
    '../..',
    '\u00e9\u00ff',
    '0',
    'null',
  ]) {
    const first = await create(key)
    expect({ key, status: first.status }).toEqual({ key, status: 201 })
    expect(await create(key)).toMatchObject({ status: 201, text: first.text })
  }
})

test('twenty at once with one key make one attack', async () => {
  const key = newKey()
  const before = await count()
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(key)))
  expect(new Set(answers.map((one) => one.status))).toEqual(new Set([201]))
  expect(new Set(answers.map((one) => one.text)).size).toBe(1)
  expect(await count()).toBe(before + 1)
  expect((await owner.finished(answers[0]?.text ?? '')).length).toBe(1)
})

test('twenty at once with one key and two bodies make one attack; the others are 409', async () => {
  const key = newKey()
  const before = await count()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => create(key, cpuAttack(`-l 1 -p ${1 + (at % 2)}`))),
  )
  const statuses = answers.map((one) => one.status)
  expect(statuses.filter((one) => one === 201).length).toBe(10)
  expect(statuses.filter((one) => one === 409).length).toBe(10)
  expect(await count()).toBe(before + 1)
})

test('a key is kept for 24 hours', async () => {
  const key = `kept-${newKey()}`
  await create(key)
  const redis = openRedis(service.local.redisUrl)
  try {
    const [name = ''] = await redis.keys(`*${key}`)
    const seconds = await redis.ttl(name)
    expect(seconds).toBeGreaterThan(24 * 3600 - 60)
    expect(seconds).toBeLessThanOrEqual(24 * 3600)
  } finally {
    redis.disconnect()
  }
})
