import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cpuAttack, type Api } from '../support/api.ts'
import { exchange, request } from '../support/http.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'

let service: Service
let owner: Api

const nobody = '00000000-0000-4000-8000-000000000000'
const bodyLimit = 256 * 1024
/** The least that an attack can be. */
const tiny = cpuAttack('-l 1 -p 1')
const target = { type: 'Random' }
const command = { type: 'cpu', args: ['-l', '1', '-p', '1'] }

/** An attack whose body has exactly this many bytes. */
function padded(bytes: number): string {
  const empty = JSON.stringify({ ...tiny, annotations: '' }).length
  return JSON.stringify({ ...tiny, annotations: 'x'.repeat(bytes - empty) })
}

const post = (text: string, type = 'application/json') =>
  owner.send('POST', '/attacks/new', { text, headers: { 'content-type': type } })

beforeAll(async () => {
  service = await startService()
  owner = service.owner
})
afterAll(() => service?.[Symbol.asyncDispose]())

describe('bodies that are refused', () => {
  test.each([
    '{',
    '{"command":',
    'nonsense',
    '{} {}',
    '{"a":1,}',
    "{'command': {'type': 'cpu'}}",
    'GremlinAttackHelper({})',
  ])('%j is malformed JSON', async (text) => {
    expect(problem(await post(text))).toEqual({ status: 400, code: 'malformed_json' })
  })

  test.each(['', '[]', '"text"', 'null', '5', 'true', '{}'])('"%s" is no attack', async (text) => {
    expect(problem(await post(text))).toEqual({ status: 400, code: 'invalid_body' })
  })

  test.each<[string, unknown]>([
    ['a number in args', { command: { ...command, args: ['-l', 60] }, target }],
    ['a boolean in args', { command: { ...command, args: ['-a', true] }, target }],
    ['null in args', { command: { ...command, args: [null] }, target }],
    ['a list in args', { command: { ...command, args: [['-l', '1']] }, target }],
    ['args that are text', { command: { ...command, args: '-l 1' }, target }],
    ['args that are an object', { command: { ...command, args: { length: '1' } }, target }],
    ['a command that is text', { command: 'cpu', target }],
    ['a command that is null', { command: null, target }],
    ['a type that is a number', { command: { type: 5 }, target }],
    ['a command without a type', { command: { args: [] }, target }],
    ['no command', { target }],
    ['no target', { command }],
    ['a target that is text', { command, target: 'Random' }],
    ['a target without a type', { command, target: {} }],
    ['exact that is text', { command, target: { type: 'Exact', exact: 'host' } }],
    ['exact of numbers', { command, target: { type: 'Exact', exact: [1] } }],
    ['a tag that is a number', { command, target: { ...target, tags: { zone: 1 } } }],
    ['tags that are a list', { command, target: { ...target, tags: ['zone'] } }],
    ['a label that is a number', { command, target, labels: { app: 1 } }],
    ['a label that is null', { command, target, labels: { app: null } }],
    ['labels that are text', { command, target, labels: 'app=web' }],
  ])('%s is refused, not coerced', async (_, json) => {
    const before = await owner.attacks()
    expect(problem(await post(JSON.stringify(json)))).toMatchObject({ status: 400 })
    expect((await owner.attacks()).length).toBe(before.length)
  })

  test.each<[string, unknown, string]>([
    ['an unknown attack type', { command: { type: 'cpus' }, target }, 'unknown_attack_type'],
    ['no attack type', { command: { type: '' }, target }, 'unknown_attack_type'],
    ['a type from birth', { command: { type: 'constructor' }, target }, 'unknown_attack_type'],
    ['an unknown target type', { command, target: { type: 'Regex' } }, 'invalid_target'],
    ['Exact of nothing', { command, target: { type: 'Exact', exact: [] } }, 'invalid_target'],
    [
      'Exact with tags',
      { command, target: { type: 'Exact', exact: ['a'], tags: { a: 'b' } } },
      'invalid_target',
    ],
  ])('%s is refused naming what is allowed', async (_, json, code) => {
    expect(problem(await post(JSON.stringify(json)))).toEqual({ status: 400, code: code })
  })

  test.each<[string, string, unknown]>([
    ['providers', 'providers', { command: { ...command, providers: ['aws'] }, target }],
    [
      'trafficImpactMapping',
      'trafficImpactMapping',
      { command: { ...command, trafficImpactMapping: { multiSelectTags: { a: ['b'] } } }, target },
    ],
    ['a command template', 'template_id', { command: { ...command, template_id: 'x' }, target }],
    ['a target template', 'template_id', { command, target: { ...target, template_id: 'x' } }],
    [
      'a kind of host that is not known',
      'hosts.regex',
      { command, target: { ...target, hosts: { regex: '.*' } } },
    ],
    [
      'a kind of container that is not known',
      'containers.names',
      { command, target: { ...target, containers: { names: ['web'] } } },
    ],
  ])('%s would narrow the attack and is refused by name', async (_, key, json) => {
    const answer = await post(JSON.stringify(json))
    expect(problem(answer)).toMatchObject({ status: 400 })
    expect((answer.json as { error: { message: string } }).error.message).toContain(key)
  })

  test.each(['text/xml', 'application/xml', 'multipart/form-data; boundary=x', 'nonsense'])(
    'content type %s is refused',
    async (type) => {
      expect(problem(await post(JSON.stringify(tiny), type))).toEqual({
        status: 415,
        code: 'unsupported_media_type',
      })
    },
  )

  test('a form is no attack', async () => {
    const answer = await owner.send('POST', '/attacks/new', { form: { command: 'cpu' } })
    expect([400, 415]).toContain(answer.status)
    expect(problem(answer)).toMatchObject({ status: answer.status })
  })

  test('signing in by XML is refused', async () => {
    const answer = await request(service.baseUrl, 'POST', '/v1/users/auth', {
      text: '<login/>',
      headers: { 'content-type': 'application/xml' },
    })
    expect(problem(answer)).toEqual({ status: 415, code: 'unsupported_media_type' })
  })

  test('signing in without a password is refused', async () => {
    for (const form of [{ email: 'a@b.c' }, { password: 'x' }, {}]) {
      const answer = await request(service.baseUrl, 'POST', '/v1/users/auth', { form })
      expect(problem(answer)).toMatchObject({ status: answer.status === 401 ? 401 : 400 })
    }
  })
})

describe('the size of a body', () => {
  test('256 KiB are accepted', async () => {
    expect(await post(padded(bodyLimit))).toMatchObject({ status: 201 })
  })

  test('one byte more is 413', async () => {
    expect(problem(await post(padded(bodyLimit + 1)))).toEqual({
      status: 413,
      code: 'body_too_large',
    })
  })

  test('a body that does not say how long it is is 413 too', async () => {
    const body = padded(bodyLimit + 10)
    const head = [
      'POST /v1/attacks/new HTTP/1.1',
      `host: ${new URL(service.baseUrl).host}`,
      `authorization: ${owner.session.header}`,
      'content-type: application/json',
      'transfer-encoding: chunked',
      'connection: close',
    ].join('\r\n')
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    expect(problem(await exchange(service.baseUrl, `${head}\r\n\r\n${chunk}`))).toEqual({
      status: 413,
      code: 'body_too_large',
    })
  })

  test('a sign-in has the same limit', async () => {
    const answer = await request(service.baseUrl, 'POST', '/v1/users/auth', {
      form: { email: 'a@b.c', password: 'x'.repeat(bodyLimit) },
    })
    expect(problem(answer)).toEqual({ status: 413, code: 'body_too_large' })
  })
})

describe('error answers', () => {
  test('an unknown route, method or id has the one shape', async () => {
    expect(problem(await owner.send('GET', '/nothing/here'))).toEqual({
      status: 404,
      code: 'route_not_found',
    })
    expect(problem(await request(service.baseUrl, 'GET', '/v1'))).toEqual({
      status: 404,
      code: 'route_not_found',
    })
    expect(problem(await owner.send('PATCH', '/attacks'))).toEqual({
      status: 404,
      code: 'route_not_found',
    })
    expect(problem(await owner.send('GET', `/attacks/${nobody}`))).toEqual({
      status: 404,
      code: 'attack_not_found',
    })
    expect(problem(await owner.send('GET', '/attacks/not-an-id'))).toEqual({
      status: 404,
      code: 'attack_not_found',
    })
    expect(problem(await owner.send('DELETE', `/attacks/${nobody}`))).toEqual({
      status: 404,
      code: 'attack_not_found',
    })
    expect(problem(await owner.send('GET', `/executions?taskId=${nobody}`))).toEqual({
      status: 404,
      code: 'attack_not_found',
    })
    expect(problem(await owner.send('GET', '/executions'))).toEqual({
      status: 400,
      code: 'invalid_body',
    })
    expect(problem(await owner.send('DELETE', '/clients/nobody'))).toEqual({
      status: 404,
      code: 'client_not_found',
    })
  })

  test('a path that is not well encoded has the one shape', async () => {
    const answer = await owner.send('GET', '/attacks/%zz')
    expect(problem(answer)).toMatchObject({ status: answer.status })
    expect([400, 404]).toContain(answer.status)
  })

  test('an id that aims at other keys of the store finds nothing', async () => {
    for (const id of ['..%2F..', '*', `${nobody}:exec`, '%00', 'x'.repeat(2000), '{t:x}'])
      expect(problem(await owner.send('GET', `/attacks/${id}`))).toMatchObject({ status: 404 })
  })

  test('no Authorization is 401 on every route but the public ones', async () => {
    for (const [method, path] of [
      ['GET', '/attacks'],
      ['GET', `/attacks/${nobody}`],
      ['POST', '/attacks/new'],
      ['DELETE', `/attacks/${nobody}`],
      ['GET', `/executions?taskId=${nobody}`],
      ['GET', '/clients'],
      ['GET', '/clients/active'],
      ['GET', '/containers'],
      ['DELETE', '/clients/nobody'],
      ['GET', '/users/self'],
      ['DELETE', '/users/auth'],
    ] as const)
      expect(problem(await request(service.baseUrl, method, `/v1${path}`))).toEqual({
        status: 401,
        code: 'unauthenticated',
      })
  })

  test('who is not signed in does not learn whether a body was good', async () => {
    for (const json of [tiny, { nonsense: true }]) {
      const answer = await request(service.baseUrl, 'POST', '/v1/attacks/new', { json })
      expect(problem(answer)).toEqual({ status: 401, code: 'unauthenticated' })
    }
  })

  test('each request has an id of its own', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => {
        const { json } = await owner.send('GET', '/nothing')
        return (json as { error: { requestId: string } }).error.requestId
      }),
    )
    expect(new Set(ids).size).toBe(3)
  })

  test('flag errors name flag, value, what is allowed and the nearest flag', async () => {
    const bad = await owner.refused(cpuAttack('-l 1 -p 101'))
    expect(bad).toMatchObject({
      status: 400,
      error: { code: 'invalid_argument', details: { flag: '-p/--percent', value: '101' } },
    })
    expect(bad.error.message).toContain('from 1 to 100')
    const unknown = await owner.refused(cpuAttack('--lenght 5'))
    expect(unknown.error).toMatchObject({
      code: 'invalid_argument',
      details: { flag: '--lenght', nearest: '--length' },
    })
  })
})
