import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cpuAttack, type Api } from '../support/api.ts'
import { request, type Answer } from '../support/http.ts'
import { addCompany } from '../support/people.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'

const tiny = cpuAttack('-l 1 -p 1')

let service: Service
let owner: Api

beforeAll(async () => {
  service = await startService()
  owner = service.owner
  await addCompany(service, 'Elsewhere')
})
afterAll(() => service?.[Symbol.asyncDispose]())

const auth = (form: Record<string, string>) =>
  request(service.baseUrl, 'POST', '/v1/users/auth', { form })

const self = (headers: Record<string, string>, query = '') =>
  request(service.baseUrl, 'GET', `/v1/users/self${query}`, { headers })

/** An error answer without what differs from one request to the next. */
function stable(answer: Answer): unknown {
  const { error } = answer.json as { error: Record<string, unknown> }
  return { status: answer.status, ...error, requestId: 'any' }
}

describe('signing in', () => {
  test('a wrong password, an unknown user and a wrong company get the same answer', async () => {
    const { email, password } = service.local.owner
    expect((await auth({ email, password })).status).toBe(200)
    const wrong = [
      await auth({ email, password: 'wrong' }),
      await auth({ email: 'nobody@example.com', password }),
      await auth({ email, password, companyName: 'Elsewhere' }),
      await auth({ email, password, companyName: 'No such company' }),
    ]
    expect(wrong.map((answer) => problem(answer))).toEqual(
      wrong.map(() => ({ status: 401, code: 'invalid_credentials' })),
    )
    expect(new Set(wrong.map((answer) => JSON.stringify(stable(answer)))).size).toBe(1)
  })

  test.each([
    ['an address with a line break', { email: 'a@b.c\r\nx: y', password: 'x' }],
    ['an address of a pattern', { email: '*', password: 'x' }],
    ['NUL bytes', { email: 'a\0@b.c', password: '\0' }],
    ['a name from birth', { email: '__proto__', password: 'constructor' }],
    ['a very long password', { email: 'a@b.c', password: 'x'.repeat(100_000) }],
    ['a very long address', { email: `${'a'.repeat(10_000)}@b.c`, password: 'x' }],
  ])('%s is refused plainly', async (_, form) => {
    const answer = await auth(form)
    expect([400, 401]).toContain(answer.status)
    expect(problem(answer).status).toBe(answer.status)
  })

  test('parameters that are given twice do not get anybody in', async () => {
    const { email } = service.local.owner
    const answer = await request(service.baseUrl, 'POST', '/v1/users/auth', {
      text: `email=${encodeURIComponent(email)}&password=a&password=b`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([400, 401]).toContain(answer.status)
  })

  test('the address is read in any case', async () => {
    const { email, password } = service.local.owner
    expect((await auth({ email: email.toUpperCase(), password })).status).toBe(200)
  })
})

describe('tokens', () => {
  test.each([
    ['none', {}],
    ['an empty one', { authorization: '' }],
    ['a scheme alone', { authorization: 'Bearer' }],
    ['an unknown one', { authorization: `Bearer ${randomUUID()}` }],
    ['another scheme', { authorization: 'Basic b3duZXI6b3duZXI=' }],
    ['an unknown key', { authorization: `Key ${'ab'.repeat(32)}` }],
    ['a very long one', { authorization: `Bearer ${'x'.repeat(8000)}` }],
    ['a pattern', { authorization: 'Bearer *' }],
  ])('%s is 401', async (_, headers) => {
    expect(problem(await self(headers))).toEqual({ status: 401, code: 'unauthenticated' })
  })

  test('a token counts only in the Authorization header', async () => {
    const { header, token } = owner.session
    expect((await self({ authorization: header })).status).toBe(200)
    for (const answer of [
      await self({ cookie: `token=${token}; Authorization=${header}` }),
      await self({}, `?access_token=${token}&token=${token}`),
      await self({ 'x-authorization': header }),
    ])
      expect(problem(answer)).toEqual({ status: 401, code: 'unauthenticated' })
  })

  test('a renewal token is no access token', async () => {
    const answer = await self({ authorization: `Bearer ${owner.session.renew_token}` })
    expect(problem(answer)).toEqual({ status: 401, code: 'unauthenticated' })
  })

  test('after signing out a token is worth nothing, and the other sessions go on', async () => {
    const [first, second] = [await service.signIn(), await service.signIn()]
    expect(await first.send('DELETE', '/users/auth')).toMatchObject({ status: 200 })
    expect(problem(await first.send('GET', '/users/self'))).toEqual({
      status: 401,
      code: 'unauthenticated',
    })
    expect(problem(await first.send('POST', '/attacks/new', { json: tiny })).status).toBe(401)
    expect(problem(await first.send('DELETE', '/users/auth')).status).toBe(401)
    expect((await second.send('GET', '/users/self')).status).toBe(200)
  })

  test('a session says who it belongs to and what it may do', async () => {
    const { json } = await owner.send('GET', '/users/self')
    expect(json).toMatchObject({
      identifier: service.local.owner.email,
      org_id: service.local.team.id,
      company_roles: ['COMPANY_OWNER'],
      privileges: expect.arrayContaining(['EXPERIMENTS_RUN', 'FAULT_CPU', 'HALT_WRITE']),
      team_memberships: [expect.objectContaining({ identifier: service.local.team.id })],
    })
  })
})
