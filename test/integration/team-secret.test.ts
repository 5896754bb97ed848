import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enrol } from '../../agent/enrol.ts'
import { parseJoinLine } from '../../shared/join-line.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { addTeam, addUser } from '../support/people.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'

let service: Service
let owner: Api
const dir = mkdtempSync(join(tmpdir(), 'temblor-secret-'))

beforeAll(async () => {
  service = await startService()
  owner = service.owner
})
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true })
  await service?.[Symbol.asyncDispose]()
})

const install = async (path: string, api = owner) => {
  const answer = await api.send('GET', path)
  expect(answer).toMatchObject({ status: 200 })
  expect(answer.headers.get('cache-control')).toBe('no-store')
  return (answer.json as { TEMBLOR_JOIN: string }).TEMBLOR_JOIN
}
const joinWith = (line: string) => enrol(dir, randomUUID(), parseJoinLine(line))

test('the settings of an agent let a host join; a new secret ends that, and hosts that joined stay', async () => {
  const { team } = service.local
  const old = await install('/teams/client/install')
  expect(old).toBe(service.local.join)
  expect(await joinWith(old)).toMatchObject({ teamId: team.id })
  const reset = await owner.send('POST', '/orgs/auth/secret/reset', {
    form: { identifier: team.id },
  })
  const { secret } = reset.json as { secret: string }
  await expect(joinWith(old)).rejects.toThrow('do not belong together')
  const fresh = await install(`/teams/${team.name}/client/install`)
  expect(parseJoinLine(fresh)).toEqual({ ...parseJoinLine(old), secret })
  expect(await joinWith(fresh)).toMatchObject({ teamId: team.id })
  const id = await owner.attack(cpuAttack('-l 1 -p 1'))
  expect(await owner.finished(id)).toMatchObject([{ stage: 'Successful' }])
})

test('they are shown to who may see the secret of that team', async () => {
  const { company } = service.local
  const other = await addTeam(service, 'Other', company.name)
  const keeper = await addUser(service, 'keeper@example.com', {
    company: company.name,
    team: other.name,
    teamRole: 'TEAM_CREDENTIAL_MANAGER',
  })
  expect(await install('/teams/client/install', keeper)).toBe(other.join)
  const refused = await keeper.send('GET', `/teams/${service.local.team.id}/client/install`)
  expect(problem(refused)).toEqual({ status: 403, code: 'forbidden' })
})
