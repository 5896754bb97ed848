import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAgent, untilTargetable, type FurtherAgent } from '../support/agent.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import type { Answer } from '../support/http.ts'
import { addCompany, addTeam, addUser, signInAll } from '../support/people.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'

/** The host of the owner's team carries these. */
const tags = 'zone=a,role=web'
const tiny = cpuAttack('-l 1 -p 1')

let service: Service
let owner: Api
let ownHost: string
/** A manager of another team of the same company; `host-b` is a host of theirs. */
let neighbour: Api
let neighbourTeam: string
/** A manager of a team of the same name in another company. */
let stranger: Api
let agentB: FurtherAgent

beforeAll(async () => {
  service = await startService({ TEMBLOR_TAGS: tags, TEMBLOR_IDENTIFIER: 'host-a' })
  owner = service.owner
  ownHost = (await owner.activeClients())[0]?.identifier ?? ''
  const company = service.local.company.name
  const team = await addTeam(service, 'Neighbours', company)
  neighbourTeam = team.id
  const manager = { companyRole: 'COMPANY_USER', teamRole: 'TEAM_MANAGER' }
  neighbour = await addUser(service, 'n@b.example', { company, team: team.name, ...manager })
  await addCompany(service, 'Elsewhere')
  const far = await addTeam(service, service.local.team.name, 'Elsewhere')
  stranger = await addUser(service, 's@e.example', {
    company: 'Elsewhere',
    team: far.name,
    ...manager,
  })
  agentB = startAgent('host-b', team.join)
  await untilTargetable(neighbour, 'host-b')
})
afterAll(async () => {
  await agentB?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

/** An error answer without what differs from one request to the next. */
function stable(answer: Answer): unknown {
  const { error } = answer.json as { error: Record<string, unknown> }
  return { status: answer.status, ...error, requestId: 'any' }
}

describe.each([
  ['another team of the company', () => neighbour],
  ['a team of another company', () => stranger],
])('a token of %s', (_, who) => {
  test('does not see, halt or follow an attack; to it the attack does not exist', async () => {
    const id = await owner.attack(cpuAttack('-l 60 -p 1'))
    const other = who()
    const missing = randomUUID()
    for (const [method, path] of [
      ['GET', '/attacks/ID'],
      ['DELETE', '/attacks/ID'],
      ['GET', '/executions?taskId=ID'],
    ] as const) {
      const theirs = await other.send(method, path.replace('ID', id))
      expect(problem(theirs)).toEqual({ status: 404, code: 'attack_not_found' })
      const nobodys = await other.send(method, path.replace('ID', missing))
      const text = JSON.stringify(stable(theirs)).replaceAll(id, missing)
      expect(text).toBe(JSON.stringify(stable(nobodys)))
    }
    expect((await other.attacks()).map((attack) => attack.guid)).not.toContain(id)
    const { stage_lifecycle: lifecycle } = await owner.readAttack(id)
    expect(lifecycle).toBe('Active')
    expect(await owner.halt(id)).toMatchObject([{ guid: id }])
    await owner.finished(id)
  })

  test('is not for the team that its query names', async () => {
    const team = service.local.team.id
    for (const [method, path] of [
      ['GET', '/attacks'],
      ['GET', '/clients'],
      ['GET', '/clients/active'],
      ['GET', '/containers'],
      ['GET', `/executions?taskId=${randomUUID()}`],
      ['POST', '/attacks/new'],
      ['DELETE', `/attacks/${randomUUID()}`],
      ['DELETE', `/clients/${ownHost}`],
    ] as const) {
      const url = `${path}${path.includes('?') ? '&' : '?'}teamId=${team}`
      const body = method === 'POST' ? { json: tiny } : {}
      const answer = await who().send(method, url, body)
      expect(problem(answer)).toEqual({ status: 403, code: 'wrong_team' })
    }
    const own = await who().send('GET', `/attacks?teamId=${who().session.org_id}`)
    expect(own.status).toBe(200)
  })

  test('neither sees nor revokes its hosts and containers', async () => {
    const other = who()
    const seen = JSON.stringify([await other.get('/clients'), await other.get('/containers')])
    expect(seen).not.toContain(ownHost)
    expect(JSON.stringify(await owner.get('/clients'))).toContain(ownHost)
    expect(problem(await other.send('DELETE', `/clients/${ownHost}`))).toEqual({
      status: 404,
      code: 'client_not_found',
    })
    expect((await owner.activeClients()).map((client) => client.identifier)).toContain(ownHost)
  })

  test('does not hit its hosts by name', async () => {
    const { status, error } = await who().refused(
      cpuAttack('-l 1 -p 1', { type: 'Exact', exact: [ownHost] }),
    )
    expect({ status, code: error.code, missing: error.details?.['missing'] }).toEqual({
      status: 400,
      code: 'target_not_found',
      missing: [ownHost],
    })
    const id = await owner.attack(cpuAttack('-l 1 -p 1', { type: 'Exact', exact: [ownHost] }))
    expect(await owner.readAttack(id)).toMatchObject({ targets: [ownHost] })
  })
})

/** A person of the owner's team. */
const withRole = (email: string, teamRole: string) =>
  addUser(service, email, {
    company: service.local.company.name,
    team: service.local.team.name,
    teamRole,
  })

describe('roles', () => {
  test('a viewer sees everything and runs, halts and revokes nothing', async () => {
    const viewer = await withRole('viewer@example.com', 'TEAM_VIEWER')
    const id = await owner.attack(cpuAttack('-l 60 -p 1'))
    const before = await owner.attacks()
    for (const path of ['/attacks', `/attacks/${id}`, `/executions?taskId=${id}`, '/clients'])
      expect((await viewer.send('GET', path)).status).toBe(200)
    for (const [method, path, privilege] of [
      ['POST', '/attacks/new', 'EXPERIMENTS_RUN'],
      ['DELETE', `/attacks/${id}`, 'HALT_WRITE'],
      ['DELETE', `/clients/${ownHost}`, 'CLIENTS_WRITE'],
    ] as const) {
      const answer = await viewer.send(method, path, method === 'POST' ? { json: tiny } : {})
      expect(problem(answer)).toEqual({ status: 403, code: 'forbidden' })
      expect((answer.json as { error: { message: string } }).error.message).toContain(privilege)
    }
    expect((await owner.attacks()).length).toBe(before.length)
    expect(await owner.readAttack(id)).toMatchObject({ stage_lifecycle: 'Active' })
    await owner.halt(id)
    await owner.finished(id)
  })

  test('a user runs and halts, and revokes no host', async () => {
    const user = await withRole('user@example.com', 'TEAM_USER')
    const id = await user.attack(cpuAttack('-l 60 -p 1'))
    expect(await user.halt(id)).toMatchObject([{ guid: id, halted_by: 'user@example.com' }])
    expect(problem(await user.send('DELETE', `/clients/${ownHost}`))).toEqual({
      status: 403,
      code: 'forbidden',
    })
    await owner.finished(id)
  })

  test('a credential manager sees hosts and no attacks', async () => {
    const keeper = await withRole('keeper@example.com', 'TEAM_CREDENTIAL_MANAGER')
    expect((await keeper.send('GET', '/clients')).status).toBe(200)
    expect(problem(await keeper.send('GET', '/attacks')).status).toBe(403)
    expect(problem(await keeper.send('POST', '/attacks/new', { json: tiny })).status).toBe(403)
  })

  test('who is in the company and in no team gets one session of the company and runs nothing', async () => {
    const automation = await addUser(service, 'bot@example.com', {
      company: service.local.company.name,
      companyRole: 'COMPANY_OWNER',
    })
    expect(automation.session).toMatchObject({ org_id: service.local.company.id, teams: [] })
    expect((await automation.send('GET', '/users/self')).status).toBe(200)
    for (const answer of [
      await automation.send('POST', '/attacks/new', { json: tiny }),
      await automation.send('GET', '/attacks'),
      await automation.send('GET', `/attacks?teamId=${service.local.team.id}`),
    ])
      expect(problem(answer).status).toBe(403)
  })
})

test('who is in two teams gets a session for each, and each is for its own team only', async () => {
  const company = service.local.company.name
  const both = [service.local.team.id, neighbourTeam]
  for (const team of [service.local.team.name, 'Neighbours'])
    await addUser(service, 'both@example.com', { company, team, teamRole: 'TEAM_USER' })
  const sessions = await signInAll(service.baseUrl, 'both@example.com')
  expect(new Set(sessions.map((api) => api.session.org_id))).toEqual(new Set(both))
  for (const api of sessions) {
    const clients = await api.activeClients()
    expect(clients.map((one) => one.org_id)).toEqual([api.session.org_id])
    const other = both.find((id) => id !== api.session.org_id)
    expect(problem(await api.send('GET', `/clients?teamId=${other}`)).status).toBe(403)
  }
})

describe('targets that are not there', () => {
  test.each<[string, () => Record<string, unknown>, string[] | undefined]>([
    ['an unknown host', () => ({ target: { type: 'Exact', exact: ['nobody'] } }), ['nobody']],
    ["another team's host", () => ({ target: { type: 'Exact', exact: ['host-b'] } }), ['host-b']],
    [
      'a known host beside an unknown one',
      () => ({ target: { type: 'Exact', exact: [ownHost, 'nobody', 'host-b'] } }),
      ['nobody', 'host-b'],
    ],
    ['a pattern', () => ({ target: { type: 'Exact', exact: ['*'] } }), ['*']],
    ['an empty name', () => ({ target: { type: 'Exact', exact: [''] } }), ['']],
    [
      'tags that no host carries',
      () => ({ target: { type: 'Random', tags: { zone: 'nowhere' } } }),
      undefined,
    ],
    [
      'tags of which a host carries only some',
      () => ({ target: { type: 'Random', tags: { zone: 'a', role: 'db' } } }),
      undefined,
    ],
    [
      'a tag from birth',
      () => ({ target: { type: 'Random', tags: { constructor: 'x' } } }),
      undefined,
    ],
    [
      'labels that no container carries',
      () => ({ target: { type: 'Random' }, labels: { app: randomUUID() } }),
      undefined,
    ],
    [
      'labels that no container on the named host carries',
      () => ({ target: { type: 'Exact', exact: [ownHost] }, labels: { app: randomUUID() } }),
      undefined,
    ],
  ])('%s is refused and nothing is created', async (_, where, missing) => {
    const before = await owner.attacks()
    const refused = await owner.refused({ ...tiny, ...where() })
    expect(refused).toMatchObject({ status: 400, error: { code: 'target_not_found' } })
    expect(refused.error.details?.['missing']).toBeDefined()
    const named = refused.error.details?.['missing']
    expect(missing === undefined ? [] : [named]).toEqual(missing === undefined ? [] : [missing])
    expect((await owner.attacks()).map((one) => one.guid)).toEqual(before.map((one) => one.guid))
  })

  test('tags that the host carries, all or some, its native ones too, find it', async () => {
    const [client] = await owner.activeClients()
    expect(client?.tags).toMatchObject({ zone: 'a', role: 'web' })
    const osType = client?.tags['os-type'] ?? ''
    for (const some of [{ zone: 'a' }, { zone: 'a', role: 'web' }, { 'os-type': osType }]) {
      const id = await owner.attack(cpuAttack('-l 1 -p 1', { type: 'Random', tags: some }))
      expect(await owner.readAttack(id)).toMatchObject({ targets: [ownHost] })
    }
  })

  test('a team only ever hits its own hosts at random', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await neighbour.attack(tiny)
      expect(await neighbour.readAttack(id)).toMatchObject({ targets: ['host-b'] })
    }
  })

  test('a team without a host is told how to add one, and nothing is created', async () => {
    const { error } = await stranger.refused(tiny)
    expect(error.code).toBe('target_not_found')
    expect(await stranger.attacks()).toEqual([])
  })

  test('the team of a session may be named in the query', async () => {
    const answer = await neighbour.send('POST', `/attacks/new?teamId=${neighbourTeam}`, {
      json: tiny,
    })
    expect(answer.status).toBe(201)
  })
})
