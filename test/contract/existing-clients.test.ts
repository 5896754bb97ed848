import { STATUS_CODES } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cpuAttack, type Api } from '../support/api.ts'
import type { Answer } from '../support/http.ts'
import { problem } from '../support/problem.ts'
import { sendRaw } from '../support/raw.ts'
import { startService, type Service } from '../support/service.ts'

/** The rules 1 to 9 that existing clients force on a server, each as such a client sends it. */

let service: Service
let owner: Api
let team: string

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const tiny = JSON.stringify(cpuAttack('-l 1 -p 1'))
const json = 'Content-Type: application/json'

beforeAll(async () => {
  service = await startService()
  owner = service.owner
  team = service.local.team.id
})
afterAll(() => service?.[Symbol.asyncDispose]())

/** As the Python SDK sends it: `requests` with these headers. */
const python = (line: string, headers: string[] = [], body = '') =>
  sendRaw(
    service.baseUrl,
    [
      `${line.replace('TEAM', team)} HTTP/1.1`,
      'User-Agent: python-requests/2.31.0',
      'Accept-Encoding: gzip, deflate',
      'Accept: */*',
      `Authorization: ${owner.session.header}`,
      'X-Gremlin-Agent: gremlin-sdk-python/0.18.3',
      ...headers,
    ],
    body,
  )
const signIn = (path: string) => {
  const { email, password } = service.local.owner
  const form = new URLSearchParams({ email, password }).toString()
  return sendRaw(
    service.baseUrl,
    [`POST ${path} HTTP/1.1`, 'Content-Type: application/x-www-form-urlencoded'],
    form,
  )
}
const isRedirect = ({ status, headers }: Answer) =>
  Math.floor(status / 100) === 3 || headers.has('location')

test('rule 1: a slash stands at the end of the path, before the query or without one', async () => {
  const created = await python('POST /v1/attacks/new/?teamId=TEAM', [json], tiny)
  expect(created).toMatchObject({ status: 201, text: expect.stringMatching(guid) })
  const id = created.text
  for (const line of [
    `GET /v1/attacks/${id}/?teamId=TEAM`,
    `GET /v1/attacks/${id}/`,
    `GET /v1/attacks/${id}`,
    `GET /v1/executions/?taskId=${id}&teamId=TEAM`,
    `GET /v1/executions?taskId=${id}`,
    'GET /v1/attacks/active/?teamId=TEAM',
    'GET /v1/attacks/completed/?source=adhoc&pageSize=3&teamId=TEAM',
    'GET /v1/attacks/active/paged/?pageSize=3',
    'GET /v1/attacks/range/?teamId=TEAM',
    'GET /v1/clients/?teamId=TEAM',
    'GET /v1/clients/active/',
    'GET /v1/containers/?teamId=TEAM',
    'GET /v1/containers/labels/',
    'GET /v1/metadata/?teamId=TEAM',
    `GET /v1/metrics/attacks/${id}/?teamId=TEAM`,
    'GET /v1/openapi.json/',
  ])
    expect({ line, status: (await python(line)).status }).toEqual({ line, status: 200 })
  expect(await python('POST /v1/attacks/new', [json], tiny)).toMatchObject({ status: 201 })
  expect(await python('POST /v1/attacks/new/', [json], tiny)).toMatchObject({ status: 201 })
  expect(await python('POST /v1/attacks/preview/', [json], tiny)).toMatchObject({ status: 200 })
  expect(await python(`POST /v1/attacks/${id}/halt/?teamId=TEAM`)).toMatchObject({ status: 202 })
  expect(await python(`DELETE /v1/attacks/${id}/?teamId=TEAM`)).toMatchObject({ status: 202 })
  expect(await python('POST /v1/halts/?teamId=TEAM', [json])).toMatchObject({ status: 202 })
  expect(await python('DELETE /v1/attacks/')).toMatchObject({ status: 202 })
  expect(await signIn('/v1/users/auth/')).toMatchObject({ status: 200 })
})

test('rule 1: the teams answer with the slash and without it (orgs)', async () => {
  for (const line of ['GET /v1/orgs/?addUser=True', 'GET /v1/orgs', 'GET /v1/orgs/']) {
    const answer = await python(line)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toEqual([expect.objectContaining({ name: expect.any(String) })])
  }
})

test('rule 1: what is not built yet is a clear 404 with the slash too', async () => {
  for (const line of ['GET /v1/scenarios/', 'GET /v1/scenarios', 'POST /v1/schedules/attacks/'])
    expect(problem(await python(line))).toEqual({ status: 404, code: 'route_not_found' })
})

test('rule 2: no path is ever answered with a redirect', async () => {
  // The page for people at /docs is for browsers.
  const words = ['attacks', 'attacks/new', 'clients', 'users/self', 'health', 'nothing']
  const paths = words.flatMap((word) => [
    `/v1/${word}`,
    `/v1/${word}/`,
    `/v1/${word}//`,
    `/v1//${word}`,
    `//v1/${word}`,
    `/V1/${word}`,
    `/v1/./${word}`,
    `/v1/x/../${word}`,
    `/${word}`,
    `/v1/${word}/?teamId=TEAM`,
    `/v1/${word.toUpperCase()}`,
  ])
  for (const path of [...paths, '/v1', '/v1/', '/', '//', '/.', '/..'])
    for (const method of ['GET', 'POST'])
      expect({ path, method, to: isRedirect(await python(`${method} ${path}`)) }).toEqual({
        path,
        method,
        to: false,
      })
})

test('rule 3: empty pairs in the query say nothing', async () => {
  for (const query of [
    '?&state=ACTIVE&teamId=TEAM',
    '?teamId=TEAM&',
    '?&teamId=TEAM&',
    '?&&&teamId=TEAM&&&pageSize=2&',
    '?&',
    '?&&',
    '?',
    '?=',
    '?=&teamId=TEAM',
    '?state=&teamId=TEAM',
  ])
    for (const path of ['/v1/attacks/', '/v1/attacks', '/v1/clients/active/', '/v1/containers/']) {
      const { status } = await python(`GET ${path}${query}`)
      expect({ path, query, status }).toEqual({ path, query, status: 200 })
    }
  const wrong = await python('GET /v1/attacks/?&teamId=00000000-0000-4000-8000-000000000000&')
  expect(problem(wrong)).toEqual({ status: 403, code: 'wrong_team' })
})

test('rule 4: zero-width characters before any slash, the prefix too, are as if they were not there', async () => {
  const { text: id } = await python('POST /v1%E2%80%8B/attacks%E2%80%8B/new', [json], tiny)
  expect(id).toMatch(guid)
  for (const path of [
    `/v1%E2%80%8B/attacks%E2%80%8B/${id}`,
    `/v1%E2%80%8B/attacks%E2%80%8B/${id}%E2%80%8B/?teamId=TEAM`,
    `%E2%80%8B/v1%E2%80%8B/attacks/${id}`.replace('%E2%80%8B/v1', '/%E2%80%8Bv1'),
    `/v1%e2%80%8b/attacks%e2%80%8b/${id}`,
    `/v1%E2%80%8B%E2%80%8B/attacks/${id}`,
  ])
    expect(await python(`GET ${path}`)).toMatchObject({ status: 200, json: { guid: id } })
})

test('rule 4: the company routes that carry them are found as without them', async () => {
  const path = '/v1/companies/c/users/a@b.c'
  const strange = '/v1%E2%80%8B/companies%E2%80%8B/c%E2%80%8B/users%E2%80%8B/a@b.c'
  const body = JSON.stringify({ roles: ['COMPANY_USER'] })
  const plain = problem(await python(`PUT ${path}`, [json], body))
  const marked = problem(await python(`PUT ${strange}`, [json], body))
  expect(plain.code).not.toBe('route_not_found')
  expect(marked).toEqual(plain)
})

test('rule 5: creating answers 201 and the bare id as plain text, 36 bytes, no quotes', async () => {
  const answer = await python('POST /v1/attacks/new/?teamId=TEAM', [json], tiny)
  expect(answer).toMatchObject({ status: 201, reason: 'Created' })
  expect(answer.text).toMatch(guid)
  expect(answer.headers.get('content-length')).toBe('36')
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain\b/)
  expect(answer.headers.has('content-encoding')).toBe(false)
})

test('rule 5: the executions are there before the request to create is answered', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { text: id } = await python('POST /v1/attacks/new', [json], tiny)
    const rows = (await python(`GET /v1/executions?taskId=${id}`)).json as unknown[]
    expect(rows).toMatchObject([{ task_id: id, stage_lifecycle: expect.stringMatching(/\w/) }])
  }
})

test('rule 6: halting one attack answers exactly 202 and a JSON array of records', async () => {
  const { text: id } = await python(
    'POST /v1/attacks/new/',
    [json],
    JSON.stringify(cpuAttack('-l 60 -p 1')),
  )
  for (const line of [`DELETE /v1/attacks/${id}`, `DELETE /v1/attacks/${id}/?teamId=TEAM`]) {
    const answer = await python(line)
    expect(answer).toMatchObject({ status: 202, json: [{ guid: id }] })
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/)
  }
  await owner.finished(id)
  expect(await python(`DELETE /v1/attacks/${id}`)).toMatchObject({
    status: 202,
    json: [{ guid: id, stage: 'UserHalted', stage_lifecycle: 'Complete' }],
  })
})

test('rule 7: signing in and reading an attack answer exactly 200', async () => {
  expect(await signIn('/v1/users/auth')).toMatchObject({
    status: 200,
    reason: 'OK',
    json: [{ header: expect.any(String), teams: [{ identifier: team }] }],
  })
  const { text: id } = await python('POST /v1/attacks/new', [json], tiny)
  expect(await python(`GET /v1/attacks/${id}`)).toMatchObject({ status: 200, reason: 'OK' })
})

test('rule 8: every error has the reason phrase of its status and text for people', async () => {
  const nobody = '00000000-0000-4000-8000-000000000000'
  const keyed = [json, 'Idempotency-Key: rule-8']
  await python('POST /v1/attacks/new', keyed, tiny)
  const answers = [
    await python('POST /v1/attacks/new', [json], '{'),
    await python('POST /v1/attacks/new', [json], '{"command":{"type":"x"},"target":{"type":"y"}}'),
    await sendRaw(service.baseUrl, ['GET /v1/attacks HTTP/1.1']),
    await python(`GET /v1/attacks?teamId=${nobody}`),
    await python(`GET /v1/attacks/${nobody}`),
    await python('GET /v1/nothing'),
    await python('GET /v1/attacks/%zz'),
    await python('POST /v1/attacks/new', keyed, tiny.replace('"1"', '"2"')),
    await python('POST /v1/attacks/new', [json], ' '.repeat(256 * 1024) + tiny),
    await python('POST /v1/attacks/new', ['Content-Type: text/xml'], '<a/>'),
    await sendRaw(service.baseUrl, ['GET  /v1/ attacks HTTP/1.1']),
    await sendRaw(service.baseUrl, ['nonsense']),
  ]
  expect(answers.map((one) => one.status)).toEqual([
    400, 400, 401, 403, 404, 404, 400, 409, 413, 415, 400, 400,
  ])
  for (const answer of answers) {
    expect(problem(answer).status).toBe(answer.status)
    expect(answer.reason).toBe(STATUS_CODES[answer.status])
  }
})

test('rule 9: every time has a fraction and a zone', async () => {
  const { text: id } = await python('POST /v1/attacks/new', [json], tiny)
  await owner.finished(id)
  await owner.send('PUT', `/attacks/${id}/annotations`, { json: { notes: 'x' } })
  const documents = [
    (await signIn('/v1/users/auth')).text,
    ...(await Promise.all(
      [
        `/attacks/${id}`,
        '/attacks',
        '/attacks/paged',
        `/executions?taskId=${id}`,
        '/clients',
        '/clients/active',
        `/metrics/attacks/${id}`,
      ].map(async (path) => (await owner.send('GET', path)).text),
    )),
  ]
  const times = documents.flatMap((text) => text.match(/\d{4}-\d\d-\d\dT[^"]*/g) ?? [])
  expect(times.length).toBeGreaterThan(20)
  // %Y-%m-%dT%H:%M:%S.%f%z
  for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})
