import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '../../shared/api/sessions.ts'
import { auditOf } from '../support/audit.ts'
import { apiOf, cpuAttack, type Api } from '../support/api.ts'
import { request } from '../support/http.ts'
import { addUser } from '../support/people.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'
import { until } from '../support/until.ts'

/** Everything that is done here is done once; afterwards the audit must tell each of it, once. */

const password = 'correct horse battery staple'
let service: Service
let owner: Api
let company: string
/** Nothing of this may be in any entry. */
const secrets: string[] = [password]

beforeAll(async () => {
  service = await startService()
  owner = service.owner
  company = service.local.company.id
  const { join, owner: first } = service.local
  secrets.push(first.password, join, ...secretsOf(owner.session))
})
afterAll(() => service?.[Symbol.asyncDispose]())

const { entries, leavesOne } = auditOf(() => owner)
const secretsOf = ({ token, renew_token: renew, header }: Session) => [token, renew, header]
const ok = async (api: Api, method: string, path: string, options = {}) => {
  const answer = await api.send(method, path, options)
  expect({ path, status: answer.status < 300, text: answer.text }).toMatchObject({ status: true })
  return answer
}
const ownerActor = () => ({ kind: 'user', name: service.local.owner.email })

test('the first owner, and the host of the installation', async () => {
  // A host is told of when it can be aimed at already.
  const joined = await until('the host is told of', async () => {
    const found = (await entries()).filter(({ action }) => action.startsWith('host.'))
    return found.length >= 2 && found
  })
  const all = await entries()
  expect(all.filter(({ action }) => action === 'user.create')).toMatchObject([
    { actor: { kind: 'admin' }, target: { name: service.local.owner.email }, sequence: 1 },
  ])
  expect(joined.toReversed()).toMatchObject([
    { action: 'host.enrol', result: 'ok', team_id: service.local.team.id, from: '127.0.0.1' },
    { action: 'host.join', result: 'ok', actor: { kind: 'host' } },
  ])
})

test('people: invited, added, given roles, removed, revoked and back', async () => {
  const email = 'bob@example.com'
  let code = ''
  const invited = await leavesOne(async () => {
    const answer = await ok(owner, 'POST', '/users/invite', { form: { email } })
    const { accept_url: link } = answer.json as { accept_url: string }
    code = new URLSearchParams(new URL(link).hash.slice(1)).get('code') ?? ''
    secrets.push(code)
  })
  expect(invited).toMatchObject({ action: 'invitation.create', target: { name: email } })
  const accept = (given: string) =>
    request(service.baseUrl, 'POST', `/v1/companies/${company}/users`, {
      json: { email, code: given, password },
    })
  const accepted = await leavesOne(() => accept(code))
  expect(accepted).toMatchObject({
    action: 'invitation.accept',
    result: 'ok',
    actor: { kind: 'user', name: email, id: expect.any(String) },
  })
  const user = { kind: 'user', name: email, id: accepted.actor.id }
  const roles = await leavesOne(() =>
    ok(owner, 'PUT', `/users/${email}`, { json: { role: ['TEAM_VIEWER'] } }),
  )
  expect(roles).toMatchObject({
    action: 'user.roles',
    actor: ownerActor(),
    target: user,
    detail: { old: ['TEAM_USER'], new: ['TEAM_VIEWER'] },
  })
  const path = `/companies/${company}/users/${email}`
  const company1 = await leavesOne(() =>
    ok(owner, 'PUT', path, { json: { roles: ['COMPANY_ADMIN'] } }),
  )
  expect(company1).toMatchObject({
    action: 'user.roles',
    detail: { old: ['COMPANY_USER'], new: ['COMPANY_ADMIN'] },
  })
  expect(await leavesOne(() => ok(owner, 'DELETE', `/users/${email}`))).toMatchObject({
    action: 'user.remove',
    detail: { old: ['TEAM_VIEWER'], new: [] },
  })
  const added = await leavesOne(() =>
    ok(owner, 'POST', '/users', { json: [{ identifier: email }] }),
  )
  expect(added).toMatchObject({ action: 'team.add-users', detail: { users: [email] } })
  expect(await leavesOne(() => ok(owner, 'DELETE', `${path}/active`))).toMatchObject({
    action: 'user.revoke',
    target: user,
    detail: { old: 'ACTIVE', new: 'REVOKED' },
  })
  const login = () =>
    request(service.baseUrl, 'POST', '/v1/users/auth', { form: { email, password } })
  expect(await leavesOne(login)).toMatchObject({ code: 'no_access' })
  expect(await leavesOne(() => ok(owner, 'POST', `${path}/active`))).toMatchObject({
    action: 'user.reactivate',
  })
})

test('keys: made, moved, revoked, reinstated, and what is done with them', async () => {
  let key = ''
  const made = await leavesOne(async () => {
    key = (await ok(owner, 'POST', '/apikeys', { json: { identifier: 'nightly' } })).text
    secrets.push(key)
  })
  const target = { kind: 'key', id: expect.any(String), name: 'nightly' }
  expect(made).toMatchObject({ action: 'key.create', target })
  const expiresAt = '2040-01-01T00:00:00.000Z'
  expect(
    await leavesOne(() => ok(owner, 'PUT', `/apikeys/nightly/expiration?expiresAt=${expiresAt}`)),
  ).toMatchObject({ action: 'key.expire', target, detail: { old: null, new: expiresAt } })
  const using = apiOf(service.baseUrl, { ...owner.session, header: `Key ${key}` })
  expect(await leavesOne(() => using.attack(cpuAttack('-l 1 -p 1')))).toMatchObject({
    action: 'attack.create',
    actor: { kind: 'key', id: made.target?.id, name: service.local.owner.email },
  })
  expect(await leavesOne(() => ok(owner, 'DELETE', '/apikeys/nightly'))).toMatchObject({
    action: 'key.revoke',
    target,
  })
  expect(await leavesOne(() => ok(owner, 'PUT', '/apikeys/nightly/activate'))).toMatchObject({
    action: 'key.reinstate',
  })
  // The key itself in place of its name.
  expect(await leavesOne(() => owner.send('DELETE', `/apikeys/${key}`))).toMatchObject({
    result: 'refused',
    code: 'key_not_found',
  })
})

test('attacks and halts, with what was asked for', async () => {
  let id = ''
  const created = await leavesOne(async () => {
    id = await owner.attack(cpuAttack('-l 20 -p 1'))
  })
  expect(created).toMatchObject({
    action: 'attack.create',
    team_id: service.local.team.id,
    target: { kind: 'attack', id, name: 'cpu' },
    detail: { args: '-l 20 -p 1', target: { type: 'Random' } },
  })
  const notes = { json: { notes: 'x' } }
  expect(
    await leavesOne(() => ok(owner, 'PUT', `/attacks/${id}/annotations`, notes)),
  ).toMatchObject({
    action: 'attack.annotate',
    target: { kind: 'attack', name: id },
  })
  expect(await leavesOne(() => owner.halt(id))).toMatchObject({
    action: 'attack.halt',
    target: { name: id },
  })
  await owner.finished(id)
  const other = await owner.attack(cpuAttack('-l 20 -p 1'))
  const reason = { json: { reason: 'a fire' } }
  expect(await leavesOne(() => ok(owner, 'POST', '/attacks/halt', reason))).toMatchObject({
    action: 'attack.halt-all',
    detail: { reason: 'a fire', attacks: expect.arrayContaining([other]) },
  })
  expect(
    await leavesOne(() => owner.send('DELETE', '/attacks/00000000-0000-4000-8000-000000000000')),
  ).toMatchObject({ action: 'attack.halt', result: 'refused', code: 'attack_not_found' })
})

test('teams, preferences and the company', async () => {
  const made = await leavesOne(() => ok(owner, 'POST', '/orgs', { form: { name: 'Payments' } }))
  expect(made).toMatchObject({ action: 'team.create', target: { kind: 'team', name: 'Payments' } })
  expect(
    await leavesOne(() => ok(owner, 'PATCH', '/teams/Payments', { json: { name: 'Paying' } })),
  ).toMatchObject({ action: 'team.update', detail: { old: 'Payments', new: 'Paying' } })
  const secret = await leavesOne(async () => {
    const answer = await ok(owner, 'POST', '/teams/Paying/secret/reset')
    secrets.push((answer.json as { secret: string }).secret)
  })
  expect(secret).toMatchObject({ action: 'team.secret', target: { name: 'Paying' } })
  expect(await leavesOne(() => ok(owner, 'DELETE', '/teams/Paying'))).toMatchObject({
    action: 'team.delete',
    target: { kind: 'team', name: 'Paying' },
  })
  const prefs = { json: { sessionDuration: 60 } }
  expect(
    await leavesOne(() => ok(owner, 'POST', `/companies/${company}/auth/prefs`, prefs)),
  ).toMatchObject({
    action: 'company.preferences',
    detail: { old: { sessionDuration: 720 }, new: { sessionDuration: 60 } },
  })
  const change = { json: { prefs: { colour: 'red' } } }
  expect(await leavesOne(() => ok(owner, 'PATCH', `/companies/${company}`, change))).toMatchObject({
    action: 'company.update',
    detail: { new: { colour: 'red' } },
  })
})

test('hosts cut off and back', async () => {
  const [host] = await owner.activeClients()
  const name = host?.identifier ?? ''
  const target = { kind: 'host', name }
  expect(await leavesOne(() => ok(owner, 'DELETE', `/clients/${name}`))).toMatchObject({
    action: 'host.revoke',
    target,
  })
  expect(await leavesOne(() => ok(owner, 'PUT', `/clients/${name}/activate`))).toMatchObject({
    action: 'host.activate',
    target,
  })
})

test("commands on the controller's host", async () => {
  const { company: own } = service.local
  const team = await leavesOne(() => service.admin(['team', 'add', 'Ops', '--company', own.name]))
  expect(team).toMatchObject({ action: 'team.create', actor: { kind: 'admin' }, from: null })
  const shown = await leavesOne(async () => {
    const line = await service.admin<{ join: string }>([
      'team',
      'join-line',
      'Ops',
      '--company',
      own.name,
    ])
    secrets.push(line.join)
  })
  expect(shown).toMatchObject({ action: 'team.secret', detail: { shown: true } })
})

test('a refusal for want of a privilege, once, also of what only reads', async () => {
  const viewer = await addUser(service, 'viewer@example.com', {
    company: service.local.company.name,
    team: service.local.team.name,
    teamRole: 'TEAM_VIEWER',
  })
  secrets.push(...secretsOf(viewer.session))
  expect(
    await leavesOne(async () =>
      expect(problem(await viewer.send('GET', '/audit'))).toEqual({
        status: 403,
        code: 'forbidden',
      }),
    ),
  ).toMatchObject({
    action: 'access.refused',
    result: 'refused',
    code: 'forbidden',
    actor: { name: 'viewer@example.com' },
    target: { kind: 'operation', name: 'listAudit' },
    detail: { privileges: ['SECURITY_REPORTS_READ'] },
  })
  expect(
    await leavesOne(() => viewer.send('POST', '/attacks/new', { json: cpuAttack('-l 1') })),
  ).toMatchObject({ action: 'attack.create', result: 'refused', code: 'forbidden' })
  const nothing = await entries()
  await viewer.send('GET', '/attacks')
  await viewer.send('POST', '/attacks/new', { json: {} })
  expect((await entries()).length - nothing.length).toBeLessThanOrEqual(1)
})

test('no entry has a secret in it', async () => {
  const text = JSON.stringify(await entries())
  expect(secrets.length).toBeGreaterThan(10)
  for (const secret of new Set(secrets)) {
    expect(secret.length).toBeGreaterThan(7)
    expect(text.includes(secret)).toBe(false)
  }
})
