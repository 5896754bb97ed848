import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Credentials } from '../../agent/cli/credentials.ts'
import type { Company } from '../../controller/store/companies.ts'
import { apiOf } from '../support/api.ts'
import { temblor } from '../support/command.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { renewerOf } from '../support/renewal.ts'
import { namesIn } from '../support/redis.ts'

let controller: TestController
let company: Company
let email: string
let config: string

beforeAll(async () => {
  controller = await startTestController()
})
afterAll(() => controller?.[Symbol.asyncDispose]())
beforeEach(async () => {
  config = mkdtempSync(path.join(tmpdir(), 'temblor-cli-'))
  company = await controller.store.companies.addCompany(newEmail('Company'))
  const team = await controller.store.companies.addTeam(company, 'Team')
  email = newEmail('ann')
  const teams = { [team.id]: ['TEAM_MANAGER'] as const }
  await controller.add(company.id, { email, roles: ['COMPANY_OWNER'], teams })
})
afterEach(() => rmSync(config, { recursive: true }))

const cli = (...args: string[]) => temblor(args, { XDG_CONFIG_HOME: config })
const file = () => path.join(config, 'temblor', 'credentials.json')
const kept = () => JSON.parse(readFileSync(file(), 'utf8')) as Credentials
const keep = (change: Partial<Credentials>) =>
  writeFileSync(file(), JSON.stringify({ ...kept(), ...change }))
const sessions = async () => (await namesIn(controller.redis, 'temblor:session:*')).length
const expired = { expiresAt: '2001-01-01T00:00:00.000Z' }

async function signIn(baseUrl = controller.baseUrl): Promise<void> {
  const who = ['--url', baseUrl, '--email', email]
  const environment = { XDG_CONFIG_HOME: config, TEMBLOR_PASSWORD: personsPassword }
  expect(await temblor(['login', ...who], environment)).toMatchObject({ code: 0 })
}

test('a session that has expired, or is about to, is renewed by whatever needs it', async () => {
  await signIn()
  const first = kept()
  expect((await cli('whoami')).code).toBe(0)
  expect(kept()).toEqual(first)
  for (const expiresAt of [expired.expiresAt, new Date(Date.now() + 30_000).toISOString()]) {
    keep({ expiresAt })
    const before = kept()
    expect((await cli('whoami')).stdout).toContain(email)
    expect(kept()).toMatchObject({ email, team: first.team, company: first.company })
    expect(kept().authorization).not.toBe(before.authorization)
    expect(kept().renewToken).not.toBe(before.renewToken)
    expect(Date.parse(kept().expiresAt)).toBeGreaterThan(Date.now() + 600_000)
  }
})

test('commands at once renew it once, and it goes on', async () => {
  await signIn()
  keep(expired)
  const before = kept()
  const ended = await Promise.all(Array.from({ length: 6 }, () => cli('whoami')))
  expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    ended.map(() => ({ code: 0, stderr: '' })),
  )
  expect(kept().authorization).not.toBe(before.authorization)
  keep(expired)
  expect((await cli('whoami')).code).toBe(0)
})

test('a token that the controller does not take any more is renewed as well', async () => {
  await signIn()
  keep({ authorization: 'Bearer 00000000-0000-4000-8000-000000000000' })
  expect((await cli('whoami')).stdout).toContain(email)
  expect(kept().authorization).not.toContain('00000000-0000')
})

test('an answer that was lost is asked for again, and the session goes on', async () => {
  await using proxy = await lossyProxy()
  await signIn(proxy.baseUrl)
  keep(expired)
  expect((await cli('whoami')).stdout).toContain(email)
  expect(proxy.lost()).toBe(1)
  keep(expired)
  expect((await cli('whoami')).code).toBe(0)
})

test('a session that was ended is not renewed: it says to sign in', async () => {
  await signIn()
  const session = { ...kept() }
  expect((await cli('logout')).code).toBe(0)
  writeFileSync(file(), JSON.stringify(session))
  for (const change of [{}, expired]) {
    keep(change)
    const refused = await cli('whoami')
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toMatch(/sign in|temblor login/i)
  }
  await signIn()
  expect((await cli('whoami')).code).toBe(0)
})

test('signing out ends a session whose token has expired', async () => {
  const before = await sessions()
  await signIn()
  expect(await sessions()).toBe(before + 1)
  keep(expired)
  expect((await cli('logout')).code).toBe(0)
  expect(await sessions()).toBe(before)
})

test('where the company has no renewal the token is used to its end', async () => {
  await signIn()
  await controller.store.authPreferences.change(company.id, (now) => ({
    ...now,
    allowSessionRenewal: false,
  }))
  keep({ expiresAt: new Date(Date.now() + 30_000).toISOString() })
  expect((await cli('whoami')).code).toBe(0)
  keep(expired)
  expect(await cli('whoami')).toMatchObject({ code: 4 })
  const header = kept().authorization
  const session = await renewerOf(controller, email).signIn()
  const api = apiOf(controller.baseUrl, { ...session, header })
  expect((await api.send('GET', '/users/self')).status).toBe(200)
})

/** Passes everything on, but loses the answer to the first renewal. */
async function lossyProxy() {
  let lost = 0
  const target = new URL(controller.baseUrl)
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    const { hostname, port } = target
    const passed = forward({ hostname, port, method, path: url, headers }, (answer) => {
      if (url.includes('/users/renew') && lost === 0) {
        lost += 1
        answer.resume().on('end', () => incoming.socket.destroy())
        return
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(passed)
  })
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  const { port } = server.address() as { port: number }
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    lost: () => lost,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => {
        server.close(done)
      })
    },
  }
}
