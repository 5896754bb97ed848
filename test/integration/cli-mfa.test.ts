import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { main } from '../../agent/cli/main.ts'
import { fakeIo } from '../../agent/cli/output/fake-io.ts'
import { temblor } from '../support/command.ts'
import { newEmail, personsPassword, startTestController } from '../support/in-process.ts'
import type { TestController } from '../support/in-process.ts'
import { codeOf, giveSecondFactor } from '../support/mfa.ts'

let controller: TestController
let company: { id: string; name: string }
let home: string

beforeAll(async () => {
  controller = await startTestController()
  company = await controller.store.companies.addCompany('Acme')
  home = mkdtempSync(join(tmpdir(), 'temblor-cli-'))
})
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
  await controller?.[Symbol.asyncDispose]()
})

const environment = () => ({
  TEMBLOR_URL: controller.baseUrl,
  TEMBLOR_PASSWORD: personsPassword,
  XDG_CONFIG_HOME: home,
  NO_COLOR: '1',
})

/** Runs the CLI where nobody can be asked. */
async function run(...args: string[]) {
  const io = fakeIo(environment())
  const code = await main(args, io)
  return { code, out: io.out.join('\n'), err: io.err.join('\n') }
}

/** Runs it on a terminal where somebody answers questions, one after the other; they see what was said. */
async function runTyping(args: string[], ...answers: ((said: string) => string)[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const asked: string[] = []
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      asked.push(String(chunk))
      const answer = answers.shift()
      if (answer) stdin.write(`${answer(io.err.join('\n'))}\n`)
      else stdin.end()
      done()
    },
  })
  const overrides = { stdin: stdin as unknown as NodeJS.ReadStream, stderr, isTerminal: true }
  const io = fakeIo(environment(), overrides)
  const code = await main(args, io)
  return { code, out: io.out.join('\n'), err: io.err.join('\n'), asked }
}

const seedIn = (said: string) => /secret into it: ([A-Z2-7]{32})/.exec(said)?.[1] ?? ''

test('a company that asks for a second factor: login sets one up on the terminal', async () => {
  const strict = await controller.store.companies.addCompany('Strict')
  await controller.store.authPreferences.change(strict.id, (now) => ({ ...now, mfaRequired: true }))
  const email = newEmail('ann')
  await controller.add(strict.id, { email })
  const blind = await run('login', '--email', email)
  expect(blind).toMatchObject({ code: 4, err: expect.stringContaining('temblor user mfa enable') })
  const typed = await runTyping(
    ['login', '--email', email],
    () => '000000',
    (said) => codeOf(seedIn(said)),
  )
  expect(typed).toMatchObject({ code: 0, out: expect.stringContaining('Signed in as') })
  expect(typed.asked.length).toBe(2)
  // The QR code, drawn with blocks.
  expect(typed.err).toMatch(/[█▀▄]{5}/)
  const codes = [...typed.err.matchAll(/^ {2}(([a-z2-7]{4}-){3}[a-z2-7]{4})$/gm)]
  expect(codes.length).toBe(10)
  expect((await run('whoami')).out).toContain(email)
  expect((await run('user', 'mfa', 'status')).out).toBe('on, 10 recovery codes left')
  const [, recovery = ''] = codes[0] ?? []
  expect((await run('login', '--email', email, '--code', recovery)).code).toBe(0)
  expect((await run('login', '--email', email, '--code', recovery)).code).toBe(4)
})

test('login asks for a code, or takes --code; without either it says what is missing', async () => {
  const email = newEmail('bob')
  const seed = await giveSecondFactor(controller.store, await controller.add(company.id, { email }))
  const blind = await run('login', '--email', email)
  expect(blind).toMatchObject({ code: 4, err: expect.stringContaining('--code') })
  expect((await run('login', '--email', email, '--code', codeOf(seed))).code).toBe(0)
  const typed = await runTyping(['login', '--email', email], () => codeOf(seed, 1))
  expect(typed).toMatchObject({ code: 0, asked: ['Code of your authenticator: '] })
  const given = await runTyping(['login', '--email', email])
  expect(given.code).toBe(130)
})

test('without a terminal it is set up in two steps, and switched off with a code', async () => {
  const email = newEmail('carl')
  await controller.add(company.id, { email })
  expect((await run('login', '--email', email)).code).toBe(0)
  const made = await run('user', 'mfa', 'enable', '--json')
  const { secretKey, otpauthUrl } = JSON.parse(made.out) as Record<string, string>
  expect(otpauthUrl).toContain(`secret=${secretKey}`)
  expect((await run('user', 'mfa', 'status')).out).toBe('off')
  expect((await run('user', 'mfa', 'confirm', '000000')).code).toBe(4)
  const confirmed = await run('user', 'mfa', 'confirm', codeOf(secretKey ?? ''), '--json')
  const { recovery_codes: codes } = JSON.parse(confirmed.out) as { recovery_codes: string[] }
  expect(codes.length).toBe(10)
  expect((await run('user', 'mfa', 'disable')).code).toBe(4)
  expect((await run('user', 'mfa', 'disable', '--code', codes[0] ?? '')).code).toBe(0)
  // Its sessions ended with it.
  expect((await run('whoami')).code).toBe(4)
  expect((await run('login', '--email', email)).code).toBe(0)
})

test('an admin sees whether it is on and switches it off for somebody', async () => {
  const email = newEmail('dora')
  const admin = newEmail('admin')
  await controller.add(company.id, { email: admin, roles: ['COMPANY_ADMIN'] })
  const userId = await controller.add(company.id, { email })
  await giveSecondFactor(controller.store, userId)
  expect((await run('login', '--email', admin)).code).toBe(0)
  expect((await run('user', 'mfa', 'status', email)).out).toBe('on')
  expect((await run('user', 'mfa', 'force-disable', email)).code).toBe(0)
  expect((await run('user', 'mfa', 'status', email, '--json')).out).toContain('"enabled": false')
  expect((await run('user', 'mfa', 'force-disable', admin)).code).toBe(1)
})

test("on the controller's host it is switched off for anybody", async () => {
  const email = newEmail('owner')
  const userId = await controller.add(company.id, { email, roles: ['COMPANY_OWNER'] })
  const seed = await giveSecondFactor(controller.store, userId)
  expect((await run('login', '--email', email, '--code', codeOf(seed))).code).toBe(0)
  const admin = (...args: string[]) => temblor(['admin', 'user', ...args], controller.environment)
  expect(await admin('disable-mfa', newEmail('nobody'))).toMatchObject({ code: 2 })
  expect((await run('whoami')).code).toBe(0)
  expect(await admin('disable-mfa', email)).toMatchObject({ code: 0 })
  expect((await run('whoami')).code).toBe(4)
  expect((await run('login', '--email', email)).code).toBe(0)
})
