import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Session } from '../../shared/api/sessions.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { request } from '../support/http.ts'
import { startService, type Service } from '../support/service.ts'

let service: Service
let owner: Api

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** The least that an attack can be. */
const tiny = cpuAttack('-l 1 -p 1')

/** One path in all the spellings that clients have been seen to send. */
const strange = (path: string) => [
  `/v1${path}/`,
  `/v1${path}/?teamId=TEAM`,
  `/v1${path}?&teamId=TEAM&`,
  `/v1${path}?teamId=TEAM&`,
  `/v1${path}/?&&teamId=TEAM&&`,
  `/v1${path}?`,
  `/v1%E2%80%8B${path.replaceAll('/', '%E2%80%8B/')}`,
  `/v1${path.replaceAll('/', '%E2%80%8B/')}?teamId=TEAM`,
  `/v1%e2%80%8b${path}`,
]

beforeAll(async () => {
  service = await startService()
  owner = service.owner
})
afterAll(() => service?.[Symbol.asyncDispose]())

describe('exact answers', () => {
  test('creating an attack answers 201 and the bare id as text', async () => {
    const answer = await owner.send('POST', '/attacks/new', { json: tiny })
    expect(answer).toMatchObject({ status: 201, text: expect.stringMatching(uuid) })
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
  })

  test('halting answers 202 and a JSON array of the attack', async () => {
    const id = await owner.attack(cpuAttack('-l 20 -p 1'))
    const answer = await owner.send('DELETE', `/attacks/${id}`)
    expect(answer.status).toBe(202)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.json).toEqual([expect.objectContaining({ guid: id })])
    await owner.finished(id)
  })

  test('reading an attack answers exactly 200', async () => {
    const id = await owner.attack(tiny)
    const answer = await owner.send('GET', `/attacks/${id}`)
    expect(answer).toMatchObject({ status: 200, json: { guid: id, command_type: 'cpu' } })
  })

  test('signing in answers exactly 200 and a session for each team, with the fields that clients read', async () => {
    const { email, password } = service.local.owner
    const answer = await request(service.baseUrl, 'POST', '/v1/users/auth', {
      form: { email, password, companyName: service.local.company.name },
    })
    expect(answer.status).toBe(200)
    const sessions = answer.json as Session[]
    expect(sessions).toEqual([
      expect.objectContaining({
        identifier: email,
        org_id: service.local.team.id,
        org_name: service.local.team.name,
        company_id: service.local.company.id,
        company_name: service.local.company.name,
        role: 'USER',
        expires_at: expect.stringMatching(instant),
        token: expect.stringMatching(uuid),
        renew_token: expect.stringMatching(uuid),
        header: expect.stringMatching(/^Bearer \S+$/),
        teams: [expect.objectContaining({ identifier: service.local.team.id })],
      }),
    ])
    expect(Date.parse(sessions[0]?.expires_at ?? '')).toBeGreaterThan(Date.now())
  })

  test('the company name may be left out, empty or given by JSON', async () => {
    const { email, password } = service.local.owner
    for (const options of [
      { form: { email, password } },
      { form: { email, password, companyName: '' } },
      { json: { email, password, companyName: null } },
      { json: { email, password } },
    ]) {
      const answer = await request(service.baseUrl, 'POST', '/v1/users/auth', options)
      expect(answer).toMatchObject({ status: 200, json: [{ org_id: service.local.team.id }] })
    }
  })

  test('times in records have milliseconds and Z', async () => {
    const id = await owner.attack(tiny)
    const [execution] = await owner.finished(id)
    const record = await owner.readAttack(id)
    for (const time of [
      record.created_at,
      record.updated_at,
      record.start_time,
      record.end_time,
      execution?.start_time,
      execution?.end_time,
      ...(execution?.client_states ?? []).map((state) => state.timestamp),
      ...(execution?.service_states ?? []).map((state) => state.timestamp),
    ])
      expect(time).toMatch(instant)
  })
})

describe('paths as real clients write them', () => {
  const reads = ['/attacks', '/clients', '/clients/active', '/containers', '/users/self', '/health']

  test.each(reads.flatMap(strange))('GET %s is answered without a redirect', async (path) => {
    const answer = await request(
      service.baseUrl,
      'GET',
      path.replace('TEAM', service.local.team.id),
      { headers: { authorization: owner.session.header } },
    )
    expect(answer.status).toBe(200)
  })

  test.each([
    '/v1/attacks/new',
    '/v1/attacks/new/',
    '/v1/attacks/new/?teamId=TEAM',
    '/v1/attacks/new?&teamId=TEAM&',
    '/v1%E2%80%8B/attacks%E2%80%8B/new',
  ])('POST %s creates an attack', async (path) => {
    const answer = await request(
      service.baseUrl,
      'POST',
      path.replace('TEAM', service.local.team.id),
      { headers: { authorization: owner.session.header }, json: tiny },
    )
    expect(answer).toMatchObject({ status: 201, text: expect.stringMatching(uuid) })
  })

  test('one attack is read and halted with a slash behind its id, and so are its executions', async () => {
    const id = await owner.attack(tiny)
    const { id: team } = service.local.team
    const read = await owner.send('GET', `/attacks/${id}/?teamId=${team}`)
    expect(read).toMatchObject({ status: 200, json: { guid: id } })
    const executions = await owner.send('GET', `/executions/?&teamId=${team}&taskId=${id}&`)
    expect(executions).toMatchObject({ status: 200, json: [{ task_id: id }] })
    expect(await owner.send('DELETE', `/attacks/${id}/?teamId=${team}`)).toMatchObject({
      status: 202,
    })
  })

  test('signing in works with a slash at the end', async () => {
    const { email, password } = service.local.owner
    const answer = await request(service.baseUrl, 'POST', '/v1/users/auth/', {
      form: { email, password },
    })
    expect(answer.status).toBe(200)
  })

  test('nothing answers with a redirect', async () => {
    for (const path of ['/v1', '/v1/', '//v1/health', '/v1//health', '/V1/health', '/v1/Attacks']) {
      const { status } = await request(service.baseUrl, 'GET', path)
      expect(Math.floor(status / 100)).not.toBe(3)
    }
  })
})

describe('bodies as real clients send them', () => {
  const target = { type: 'Random' }
  const command = { type: 'cpu', args: ['-l', '1', '-p', '1'] }

  test.each([
    ['labels and tags null', { command, target: { ...target, tags: null }, labels: null }],
    ['labels and tags empty', { command, target: { ...target, tags: {} }, labels: {} }],
    ['exact null with Random', { command, target: { ...target, exact: null } }],
    [
      'unknown keys everywhere',
      {
        command: { ...command, commandType: 'CPU', annotations: { a: [1, { b: 2 }] } },
        target: { ...target, whatever: true },
        source: 'test',
        annotations: {},
      },
    ],
    [
      'narrowing keys that are empty',
      {
        command: { ...command, providers: [], trafficImpactMapping: {}, template_id: null },
        target: { ...target, hosts: {}, containers: {}, template_id: '' },
      },
    ],
    ['the type of the attack in capitals', { command: { ...command, type: 'CPU' }, target }],
    ['long flags', { command: { type: 'cpu', args: ['--length=1', '--percent', '1'] }, target }],
  ])('%s are accepted', async (_, json) => {
    expect(await owner.send('POST', '/attacks/new', { json })).toMatchObject({ status: 201 })
  })

  test.each([{ containers: [] }, { hosts: [] }, { containers: '' }, { multiSelectTags: [] }])(
    '%j narrows nothing and is accepted',
    async (part) => {
      const answer = await owner.send('POST', '/attacks/new', {
        json: { command, target: { ...target, ...part } },
      })
      expect(answer).toMatchObject({ status: 201 })
    },
  )

  test('args may be left out or null: the defaults apply', async () => {
    for (const json of [
      { command: { type: 'cpu' }, target },
      { command: { type: 'cpu', args: null }, target },
      { command: { type: 'cpu', args: [] }, target },
    ]) {
      const id = await owner.attack(json)
      expect(await owner.readAttack(id)).toMatchObject({ length_seconds: 60 })
      await owner.halt(id)
      await owner.finished(id)
    }
  })

  test('a charset behind the content type is accepted', async () => {
    const answer = await owner.send('POST', '/attacks/new', {
      text: JSON.stringify(tiny),
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    expect(answer.status).toBe(201)
  })
})
