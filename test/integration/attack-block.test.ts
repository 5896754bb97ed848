import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AttackBlock } from '../../shared/api/attack-block.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { addTeam, addUser } from '../support/people.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'

let service: Service
let owner: Api
beforeAll(async () => {
  service = await startService()
  owner = service.owner
})
afterAll(() => service?.[Symbol.asyncDispose]())

const attempt = (api: Api) => api.send('POST', '/attacks/new', { json: cpuAttack('-l 1 -p 5') })
const block = (api: Api, body?: object) =>
  api.send('POST', '/attacks/block', body ? { json: body } : {})

test('new attacks are refused from the block until it is lifted, and what runs goes on', async () => {
  const running = await owner.attack(cpuAttack('-l 3 -p 5'))
  await owner.running(running)
  const keyed = { json: cpuAttack('-l 1 -p 5'), headers: { 'idempotency-key': 'before' } }
  const before = await owner.send('POST', '/attacks/new', keyed)
  expect(before.status).toBe(201)

  const blocked = await block(owner, { reason: 'the shop is down' })
  expect(blocked.json).toMatchObject({
    blocked: true,
    by: service.local.owner.email,
    reason: 'the shop is down',
  })
  const refused = await attempt(owner)
  expect(problem(refused)).toEqual({ status: 409, code: 'attacks_blocked' })
  expect(refused.text).toContain('the shop is down')
  expect(refused.text).toContain(service.local.owner.email)
  // Who asks again for what was made before the block is given that.
  expect((await owner.send('POST', '/attacks/new', keyed)).text).toBe(before.text)
  expect(await owner.finished(running)).toMatchObject([{ stage: 'Successful' }])

  // A second block does not hide who came first.
  expect((await block(owner, { reason: 'later' })).json).toEqual(blocked.json)
  const lifted = await owner.send('DELETE', '/attacks/block')
  expect(lifted.json).toEqual({ blocked: false, since: null, by: null, reason: null })
  expect((await owner.send('DELETE', '/attacks/block')).status).toBe(200)
  expect((await attempt(owner)).status).toBe(201)
})

test('a team that is made later is blocked too', async () => {
  await block(owner)
  await addTeam(service, 'Later', 'Temblor')
  const roles = { company: 'Temblor', team: 'Later', teamRole: 'TEAM_MANAGER' }
  const answer = await attempt(await addUser(service, 'later@example.com', roles))
  expect(problem(answer)).toMatchObject({ code: 'attacks_blocked' })
  await owner.send('DELETE', '/attacks/block')
})

test('who may halt the team only sees the block and cannot change it', async () => {
  const person = await addUser(service, 'sre@example.com', {
    company: 'Temblor',
    team: 'Default',
    teamRole: 'TEAM_USER',
  })
  const state = async () => (await person.send('GET', '/attacks/block')).json as AttackBlock
  expect(await state()).toMatchObject({ blocked: false })
  for (const method of ['POST', 'DELETE'])
    expect(problem(await person.send(method, '/attacks/block'))).toEqual({
      status: 403,
      code: 'forbidden',
    })
  await block(owner)
  expect(await state()).toMatchObject({ blocked: true, reason: null })
  expect(problem(await attempt(person))).toMatchObject({ code: 'attacks_blocked' })
  await owner.send('DELETE', '/attacks/block')
})
