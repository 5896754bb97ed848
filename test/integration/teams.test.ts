import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Company } from '../../controller/store/companies.ts'
import type { Team } from '../../shared/api/teams.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'

let controller: TestController
let company: Company
let manager: Api
/** A manager of another company. */
let stranger: Api

beforeAll(async () => {
  controller = await startTestController()
})
afterAll(() => controller?.[Symbol.asyncDispose]())

beforeEach(async () => {
  const { companies } = controller.store
  company = await companies.addCompany(`Company ${randomUUID()}`)
  const elsewhere = await companies.addCompany(`Elsewhere ${randomUUID()}`)
  const roles = ['COMPANY_MANAGER'] as const
  manager = await controller.join(company, { email: newEmail('manager'), roles })
  stranger = await controller.join(elsewhere, { email: newEmail('stranger'), roles })
})

const create = async (name: string, query = '', api = manager) => {
  const answer = await api.send('POST', `/orgs${query}`, { form: { name } })
  expect(answer.status).toBe(200)
  return answer.json as { org_id: string; has_secret: boolean }
}
const names = async (api = manager) => (await api.get<Team[]>('/teams')).map((team) => team.name)

describe('a team', () => {
  test('is made, found by id and by name whatever its case, renamed and deleted', async () => {
    const { org_id: id, has_secret } = await create('Payments')
    expect(has_secret).toBe(true)
    for (const name of [id, 'Payments', 'payments', 'PAYMENTS%20'])
      expect(await manager.get<Team>(`/teams/${name}`)).toMatchObject({
        identifier: id,
        name: 'Payments',
        companyId: company.id,
      })
    expect(await manager.get(`/orgs/${id}`)).toMatchObject({ identifier: id, name: 'Payments' })
    const renamed = await manager.send('PATCH', '/teams/Payments', { json: { name: 'Checkout' } })
    expect(renamed.json).toMatchObject({ identifier: id, name: 'Checkout' })
    expect(problem(await manager.send('GET', '/teams/Payments'))).toEqual({
      status: 404,
      code: 'team_not_found',
    })
    expect((await manager.send('DELETE', '/teams/checkout')).json).toMatchObject({ identifier: id })
    expect(await names()).toEqual([])
    expect((await manager.send('DELETE', `/teams/${id}`)).status).toBe(404)
    await create('Checkout')
  })

  test.each(['a|b', 'a;b', 'a,b', '', '   ', 'x'.repeat(101), randomUUID(), 'a\nb'])(
    'is not named %j, and nothing is made or renamed',
    async (name) => {
      await create('Payments')
      const made = await manager.send('POST', '/orgs', { json: { name } })
      const renamed = await manager.send('PATCH', '/teams/Payments', { json: { name } })
      for (const answer of [made, renamed])
        expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
      expect(await names()).toEqual(['Payments'])
    },
  )

  test('has a name that no other of the company has, also when twenty ask at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        manager.send('POST', '/orgs', { form: { name: index % 2 === 0 ? 'Ünique' : 'üNIQUE ' } }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
    const others = answers.filter(({ status }) => status !== 200).map(problem)
    expect(new Set(others.map(({ code }) => code))).toEqual(new Set(['name_taken']))
    expect((await names()).length).toBe(1)
    await create('Other')
    const taken = await manager.send('PATCH', '/teams/Other', { json: { name: 'ÜNIQUE' } })
    expect(problem(taken)).toEqual({ status: 409, code: 'name_taken' })
    const same = await manager.send('PATCH', '/teams/Other', { json: { name: 'other' } })
    expect(same.json).toMatchObject({ name: 'other' })
    expect((await create('Ünique', '', stranger)).org_id).toBeTruthy()
  })

  test('is older than one that is made after it, also within a millisecond', async () => {
    const { companies, teams } = controller.store
    using _moment = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    const made: string[] = []
    for (let n = 0; n < 20; n += 1) made.push((await companies.addTeam(company, `Team ${n}`)).id)
    expect((await teams.list(company.id)).map(({ id }) => id)).toEqual(made)
  })

  test('of another company does not exist', async () => {
    const { org_id: id } = await create('Payments')
    for (const [method, path] of [
      ['GET', `/teams/${id}`],
      ['GET', `/orgs/${id}`],
      ['PATCH', `/teams/${id}`],
      ['DELETE', `/teams/${id}`],
    ] as const) {
      const answer = await stranger.send(method, path, { json: { name: 'Mine' } })
      expect(problem(answer)).toEqual({ status: 404, code: 'team_not_found' })
    }
    expect(await names()).toEqual(['Payments'])
    expect(await names(stranger)).toEqual([])
  })

  test('is listed a page at a time', async () => {
    for (const name of ['a', 'b', 'c']) await create(name)
    type Page = { items: Team[]; pageToken: string | null }
    const first = await manager.get<Page>('/teams/paged?pageSize=2')
    const second = await manager.get<Page>(`/teams/paged?pageSize=2&pageToken=${first.pageToken}`)
    expect(second.pageToken).toBeNull()
    const seen = [...first.items, ...second.items].map((team) => team.name)
    expect(seen.toSorted()).toEqual(['a', 'b', 'c'])
  })
})

describe('whoever makes a team', () => {
  test('is in it with addUser=True, and otherwise not', async () => {
    const without = await create('Without')
    const within = await create('Within', '?addUser=True')
    const again = await controller.join(company, {
      email: newEmail('other'),
      roles: ['COMPANY_MANAGER'],
    })
    const self = await manager.get<{ team_memberships: { identifier: string }[] }>('/users/self')
    expect(self.team_memberships.map((team) => team.identifier)).toEqual([within.org_id])
    expect(without.org_id).not.toBe(within.org_id)
    expect(again.session.teams).toEqual([])
  })
})

describe('deleting a team', () => {
  test('ends the sessions of its members with the next request and leaves their other teams', async () => {
    const { companies, teams, members } = controller.store
    const gone = await companies.addTeam(company, 'Gone')
    const stays = await companies.addTeam(company, 'Stays')
    const email = newEmail('member')
    const inBoth = { [gone.id]: ['TEAM_USER'], [stays.id]: ['TEAM_VIEWER'] } as const
    const member = await controller.join(company, { email, teams: inBoth })
    expect(member.session.org_id).toBe(gone.id)
    expect((await member.send('GET', '/attacks')).status).toBe(200)
    expect((await manager.send('DELETE', '/teams/Gone')).status).toBe(200)
    for (const answer of [
      await member.send('GET', '/attacks'),
      await member.send('POST', '/attacks/new', { json: cpuAttack('-l 1 -p 1') }),
    ])
      expect(problem(answer)).toEqual({ status: 401, code: 'unauthenticated' })
    const left = (await members.list(company.id)).filter((one) => Object.keys(one.teams).length > 0)
    expect(left.map((one) => one.teams)).toEqual([{ [stays.id]: ['TEAM_VIEWER'] }])
    expect(await teams.read(company.id, gone.id)).toBeUndefined()
    expect(await companies.findTeam(gone.id)).toBeUndefined()
  })
})

describe('the secret of a team', () => {
  test('is reset by who may, for the team that is named, and the old one is no more', async () => {
    const { companies, teams } = controller.store
    const team = await companies.addTeam(company, 'Payments')
    const other = await companies.addTeam(company, 'Other')
    const keeper = await controller.join(company, {
      email: newEmail('keeper'),
      teams: { [team.id]: ['TEAM_CREDENTIAL_MANAGER'] },
    })
    const admin = await controller.join(company, {
      email: newEmail('admin'),
      roles: ['COMPANY_ADMIN'],
    })
    const seen = new Set([team.secret])
    for (const ask of [
      () => keeper.send('POST', '/teams/Payments/secret/reset'),
      () => keeper.send('POST', '/orgs/auth/secret/reset'),
      () => keeper.send('POST', '/orgs/auth/secret/reset', { form: { identifier: team.id } }),
      () => admin.send('POST', '/orgs/auth/secret/reset', { form: { identifier: 'payments' } }),
      () => admin.send('POST', '/teams/payments/secret/reset'),
    ]) {
      const answer = await ask()
      expect(answer.json).toMatchObject({ identifier: team.id })
      const { secret } = answer.json as { secret: string }
      expect(secret).toBe(await teams.readSecret(team))
      seen.add(secret)
    }
    expect(seen.size).toBe(6)
    for (const answer of [
      await keeper.send('POST', '/orgs/auth/secret/reset', { form: { identifier: 'Other' } }),
      await keeper.send('POST', '/teams/Other/secret/reset'),
      await manager.send('POST', '/teams/Payments/secret/reset'),
    ])
      expect(problem(answer)).toEqual({ status: 403, code: 'forbidden' })
    expect(await teams.readSecret(other)).toBe(other.secret)
    expect(await manager.get('/teams/Payments')).toMatchObject({
      secretSetBy: admin.session.identifier,
    })
  })
})
