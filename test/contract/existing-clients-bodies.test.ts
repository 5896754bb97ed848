import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Attack, Execution } from '../../shared/api/records.ts'
import type { Client } from '../../shared/api/clients.ts'
import type { Session } from '../../shared/api/sessions.ts'
import { startAgent, untilTargetable } from '../support/agent.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import type { Answer } from '../support/http.ts'
import { problem } from '../support/problem.ts'
import { sendRaw } from '../support/raw.ts'
import { startService, type Service } from '../support/service.ts'

/** The rules 10 to 18 that existing clients force on a server, each as such a client sends it. */

let service: Service
let owner: Api
let team: string

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const command = { type: 'cpu', args: ['-l', '1', '-p', '1'] }
const target = { type: 'Random' }
const tiny = JSON.stringify({ command, target })
const json = 'Content-Type: application/json'
const form = 'Content-Type: application/x-www-form-urlencoded'

beforeAll(async () => {
  service = await startService()
  owner = service.owner
  team = service.local.team.id
})
afterAll(() => service?.[Symbol.asyncDispose]())

/** With the session of the owner, and nothing that a client does not send. */
const send = (line: string, headers: string[] = [], body = '') =>
  sendRaw(
    service.baseUrl,
    [
      `${line.replace('TEAM', team)} HTTP/1.1`,
      `Authorization: ${owner.session.header}`,
      ...headers,
    ],
    body,
  )
const notFound = { status: 404, code: 'route_not_found' }
const message = (answer: Answer) => (answer.json as { error: { message: string } }).error.message

test('rule 10: labels and tags may be null, and every other part of a target too', async () => {
  const body = JSON.stringify({ command, target: { ...target, tags: null }, labels: null })
  expect(await send('POST /v1/attacks/new', [json], body)).toMatchObject({ status: 201 })
  const all = ['tags', 'exact', 'percent', 'hosts', 'containers', 'multiSelectTags']
  const nulls = Object.fromEntries(all.map((key) => [key, null]))
  const every = JSON.stringify({ command, target: { ...target, ...nulls }, tags: null })
  expect(await send('POST /v1/attacks/new', [json], every)).toMatchObject({ status: 201 })
})

test('rule 10: POST /halts announces JSON and sends nothing', async () => {
  const { text: id } = await send(
    'POST /v1/attacks/new',
    [json],
    JSON.stringify(cpuAttack('-l 60 -p 1')),
  )
  await owner.running(id)
  for (const headers of [[json], [json, 'Content-Length: 0'], ['Content-Length: 0'], []]) {
    const answer = await send('POST /v1/halts/?teamId=TEAM', headers)
    expect({ headers, status: answer.status }).toEqual({ headers, status: 202 })
    expect(answer.json).toEqual(expect.any(Array))
  }
  expect(await owner.finished(id)).toMatchObject([{ stage: 'UserHalted' }])
})

test('rule 10: reliability tests send JSON without a Content-Type; they are not built yet: 404', async () => {
  const line = 'POST /v1/reliability-tests/abc/runs/?teamId=TEAM'
  expect(problem(await send(line, [], '{"serviceId":"x"}'))).toEqual(notFound)
})

test('rule 10: an attack as JSON without a Content-Type is run or refused clearly, never coerced', async () => {
  const answer = await send('POST /v1/attacks/new', [], tiny)
  const isRun = answer.status === 201 && guid.test(answer.text)
  expect(isRun || problem(answer).code === 'unsupported_media_type').toBe(true)
})

test('rule 10: GET with an urlencoded body is answered, and renews a session as POST does', async () => {
  const { session } = await service.signIn()
  const { identifier: email, org_id: orgId, company_id: companyId } = session
  let renewToken = session.renew_token
  for (const method of ['GET', 'POST'])
    for (const path of ['/users/renew/', '/users/renew/rbac', '/users/renew/rbac/?&']) {
      const body = new URLSearchParams({ email, orgId, companyId, teamId: '', renewToken })
      const answer = await sendRaw(
        service.baseUrl,
        [`${method} /v1${path} HTTP/1.1`, form],
        body.toString(),
      )
      expect(answer).toMatchObject({ status: 200, json: { header: expect.any(String) } })
      renewToken = (answer.json as Session).renew_token
    }
  const body = 'email=a%40b.c&orgId=x&renewToken=y'
  for (const path of ['/users/self', '/attacks', '/clients/active', '/metadata'])
    expect(await send(`GET /v1${path}`, [form], body)).toMatchObject({ status: 200 })
})

test('rule 10: PUT of a user takes a raw or a repeated role', async () => {
  const line = 'PUT /v1/users/a@b.c/?teamId=TEAM'
  const nobody = { status: 404, code: 'user_not_found' }
  expect(problem(await send(line, [], 'TEAM_USER'))).toEqual(nobody)
  expect(problem(await send(line, [form], 'role=TEAM_USER&role=TEAM_MANAGER'))).toEqual(nobody)
})

test('rule 10: booleans are True and False, and unset fields of a form are empty', async () => {
  const { email, password } = service.local.owner
  const login = (query: string, more: Record<string, string>) =>
    sendRaw(
      service.baseUrl,
      [`POST /v1/users/auth${query} HTTP/1.1`, form],
      new URLSearchParams({ email, password, ...more }).toString(),
    )
  const unset = { companyName: '', provider: '', accessToken: '', token: '' }
  for (const query of [
    '',
    '/?getCompanySession=False',
    '?getCompanySession=',
    '?getCompanySession',
  ])
    expect(await login(query, unset)).toMatchObject({ status: 200, json: [{ org_id: team }] })
  for (const yes of ['True', 'true', 'TRUE']) {
    const company = await login(`/?getCompanySession=${yes}`, unset)
    expect(company).toMatchObject({
      status: 200,
      json: { org_id: service.local.company.id, teams: [{ identifier: team }] },
    })
  }
})

test('rule 11: unknown keys in the body, the command and the target are ignored', async () => {
  const strange = { commandType: 'CPU', impact: { deep: [1, { x: null }] }, length: 5, cliArgs: [] }
  const body = JSON.stringify({
    command: { ...command, ...strange, providers: [], trafficImpactMapping: {}, templateId: '' },
    target: { ...target, ...strange, providers: null },
    ...strange,
    annotations: { a: 1 },
    source: 'Adhoc',
    includeNewTargets: false,
    continueOnEmptyTargets: false,
  })
  const { status, text } = await send('POST /v1/attacks/new', [json], body)
  expect({ status, text }).toEqual({ status: 201, text: expect.stringMatching(guid) })
  expect(await owner.readAttack(text)).toMatchObject({ args: command.args, length_seconds: 1 })
})

test('rule 12: the header of a session is Bearer with a token that cannot hold Key or Bearer', async () => {
  expect(owner.session.header).toBe(`Bearer ${owner.session.token}`)
  expect(owner.session.token).toMatch(guid)
  for (const header of [owner.session.header, `bearer ${owner.session.token}`])
    expect(
      await sendRaw(service.baseUrl, ['GET /v1/attacks HTTP/1.1', `Authorization: ${header}`]),
    ).toMatchObject({ status: 200 })
})

test('rule 12: keys are not built yet: Key, like any header that is no session, gets a clear 401', async () => {
  for (const header of [
    `Key ${'0123456789abcdef'.repeat(4)}`,
    `Key ${owner.session.token}`,
    `Key Bearer ${owner.session.token}`,
    'Bearer',
    'Bearer ',
    'Basic dTpw',
    owner.session.token,
    `Bearer ${'x'.repeat(5_000)}`,
    `Bearer ${owner.session.token} ${owner.session.token}`,
    'Bearer \u00ff\u00fe',
  ]) {
    const head = ['GET /v1/attacks HTTP/1.1', `Authorization: ${header}`]
    const answer = await sendRaw(service.baseUrl, head)
    expect({ header, ...problem(answer) }).toEqual({ header, status: 401, code: 'unauthenticated' })
    expect(answer.text).not.toContain(owner.session.token)
  }
})

test('rule 13: a client that names itself in X-Gremlin-Agent is the create_source of its attacks', async () => {
  for (const [header, source] of [
    ['X-Gremlin-Agent: gremlin-sdk-python/0.18.3', 'GremlinSdkPython'],
    ['X-Gremlin-Agent: spinnaker/0.1.0', 'Spinnaker'],
    ['X-Gremlin-Agent: concord/2.0.1', 'Concord'],
    ['x-gremlin-agent: Spinnaker/9', 'Spinnaker'],
    ['X-Gremlin-Agent: somebody/1', 'Api'],
    ['X-Gremlin-Agent: ', 'Api'],
    ['User-Agent: @gremlin/gremlin-mcp/2.4.2', 'Api'],
  ] as const) {
    const { text: id } = await send('POST /v1/attacks/new', [json, header], tiny)
    const record = await owner.readAttack(id)
    expect({ header, source: record.create_source }).toEqual({ header, source })
    expect(await owner.executions(id)).toMatchObject([{ create_source: source }])
  }
})

test('rule 14: teamId may be left out; the session says which team is meant', async () => {
  const { text: id } = await send('POST /v1/attacks/new', [json], tiny)
  expect(await owner.readAttack(id)).toMatchObject({ org_id: team, owning_team_id: team })
  for (const path of ['/attacks', `/attacks/${id}`, `/executions?taskId=${id}`, '/clients'])
    expect(await send(`GET /v1${path}`)).toMatchObject({ status: 200 })
  expect(await send('GET /v1/attacks?teamId=')).toMatchObject({ status: 200 })
})

test('rule 15: revoking and activating a host answer the literal text Success', async () => {
  await using agent = startAgent('rule-15', service.local.join)
  await untilTargetable(owner, agent.identifier)
  for (const line of [
    'DELETE /v1/clients/rule-15/?teamId=TEAM',
    'PUT /v1/clients/rule-15/activate/?teamId=TEAM',
  ]) {
    const answer = await send(line, ['Accept-Encoding: gzip, deflate', 'Accept: */*'])
    expect(answer).toMatchObject({ status: 200, reason: 'OK', text: 'Success' })
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain\b/)
    expect(answer.headers.get('content-length')).toBe('7')
  }
  for (const line of ['DELETE /v1/clients/nobody', 'PUT /v1/clients/nobody/activate'])
    expect(problem(await send(line))).toEqual({ status: 404, code: 'client_not_found' })
})

test('rule 16: the text of a Python object is refused with a hint that names the cause', async () => {
  const inside = "{'command': {'type': 'cpu', 'args': ['-l', '1']}, 'target': {'type': 'Random'}}"
  for (const body of [
    `GremlinAttackHelper(${inside})`,
    `GremlinScenarioHelper(${inside})`,
    inside,
    `[${inside}]`,
    "{'labels': None, 'multiSelect': True}",
    `\n  ${inside}`,
  ])
    for (const line of ['POST /v1/attacks/new/?teamId=TEAM', 'POST /v1/attacks/preview']) {
      const answer = await send(line, [json], body)
      expect(problem(answer)).toEqual({ status: 400, code: 'malformed_json' })
      expect(message(answer)).toMatch(/Python/)
      expect(message(answer)).toMatch(/api_model|dict/)
    }
  expect(message(await send('POST /v1/attacks/new', [json], '{"a":'))).not.toMatch(/Python/)
})

test('rule 16: a helper whose api_model() was passed works; scenarios are not built yet: 404', async () => {
  // What api_model() of the Python SDK gives for a host attack.
  const model = JSON.stringify({
    command: { type: 'cpu', commandType: 'CPU', args: ['-l', '1', '-p', '1', '-c', '1'] },
    target: { type: 'Random', hosts: 'all', percent: 100 },
  })
  expect(await send('POST /v1/attacks/new/?teamId=TEAM', [json], model)).toMatchObject({
    status: 201,
  })
  expect(problem(await send('POST /v1/scenarios', [json], '{"name": "x"}'))).toEqual(notFound)
  const python = await send('POST /v1/scenarios', [json], "{'name': 'x'}")
  expect(problem(python)).toEqual({ status: 400, code: 'malformed_json' })
  expect(message(python)).toMatch(/Python/)
})

test('rule 17: every client needs only the base URL that ends in /v1', async () => {
  const { pathname } = new URL(service.baseUrl)
  expect(service.baseUrl.replace(/\/$/, '')).toMatch(/\/v1$/)
  const base = pathname.replace(/\/$/, '')
  expect(await send(`GET ${base}/attacks`)).toMatchObject({ status: 200 })
  const document = await sendRaw(service.baseUrl, [`GET ${base}/openapi.json HTTP/1.1`])
  expect(document).toMatchObject({ status: 200, json: { openapi: expect.stringMatching(/^3\./) } })
  const missing = send(`POST ${base}/kubernetes/attacks/new`, [json], '{}')
  expect(problem(await missing)).toEqual(notFound)
  for (const [line, code] of [
    [`GET ${base}/oauth/login?companyName=x`, 'sso_refused'],
    [`POST ${base}/users/auth/sso`, 'invalid_body'],
    [`POST ${base}/companies/c/oauth/settings`, 'invalid_body'],
  ] as const)
    expect(problem(await send(line, [json], '{}')).code).toBe(code)
})

test('rule 18: records of attacks, executions, hosts and sessions are snake_case', async () => {
  const { text: id } = await send('POST /v1/attacks/new', [json], tiny)
  await owner.finished(id)
  const [attack] = (await owner.attacks()) as [Attack]
  const [execution] = (await owner.executions(id)) as [Execution]
  const [client] = (await owner.activeClients()) as [Client]
  for (const record of [attack, execution, client, owner.session])
    for (const key of Object.keys(record)) expect(key).toMatch(/^[a-z]+(_[a-z]+)*$/)
  expect(execution).toMatchObject({
    guid: expect.stringMatching(guid),
    org_id: team,
    task_id: id,
    target_type: 'Host',
    client_id: attack.targets[0],
    guest_id: null,
    stage: 'Successful',
    stage_lifecycle: 'Complete',
    end_time: expect.any(String),
    output: expect.any(String),
  })
  expect(attack).toMatchObject({
    guid: id,
    stage: 'Successful',
    stage_lifecycle: 'Complete',
    create_user: service.local.owner.email,
    execution_stage_summary: { Successful: 1 },
  })
})

test('rule 18: newer resources are camelCase: pages, labels of containers, metrics', async () => {
  const page = (await send('GET /v1/attacks/paged?pageSize=1')).json as object
  expect(Object.keys(page).toSorted()).toEqual(['items', 'pageNumber', 'pageSize', 'pageToken'])
  expect((await send('GET /v1/containers/labels')).json).toEqual({ labelKeys: expect.any(Array) })
  const id = (await owner.attacks())[0]?.guid ?? ''
  expect((await send(`GET /v1/metrics/attacks/${id}`)).json).toMatchObject({
    infraCommandType: 'cpu',
    chartTitle: expect.any(String),
    metricData: { series: expect.any(Array) },
  })
})
