import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temblor as run, type Environment } from '../support/command.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { linkIn, startMailServer, type MailServer } from '../support/mail-server.ts'

let mail: MailServer
let controller: TestController
const email = newEmail('ann')
const home = mkdtempSync(join(tmpdir(), 'temblor-home-'))
/** With a home of its own for the session that it keeps. */
const temblor = (args: string[], environment: Environment = {}) =>
  run(args, { XDG_CONFIG_HOME: home, ...environment })

beforeAll(async () => {
  mail = await startMailServer()
  controller = await startTestController({
    TEMBLOR_PUBLIC_URL: 'http://temblor.example.org',
    TEMBLOR_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    TEMBLOR_MAIL_FROM: 'temblor@example.org',
  })
  const company = await controller.store.companies.addCompany('Acme')
  await controller.add(company.id, { email })
})
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
  await controller?.[Symbol.asyncDispose]()
  await mail?.[Symbol.asyncDispose]()
})

test('a password is changed, forgotten and set anew', async () => {
  const { baseUrl } = controller
  const login = (password: string) =>
    temblor(['login', '--url', baseUrl, '--email', email], { TEMBLOR_PASSWORD: password })
  expect(await login(personsPassword)).toMatchObject({ code: 0 })
  const changed = await temblor(['password', 'change'], {
    TEMBLOR_PASSWORD: personsPassword,
    TEMBLOR_NEW_PASSWORD: 'changed by themselves',
  })
  expect(changed).toMatchObject({ code: 0 })
  expect(await login('changed by themselves')).toMatchObject({ code: 0 })
  expect(await temblor(['password', 'forgot', email, '--url', baseUrl])).toMatchObject({ code: 0 })
  const link = linkIn(await mail.mailTo(email)).replace('http://temblor.example.org', baseUrl)
  const environment = { TEMBLOR_PASSWORD: 'set with the link' }
  expect(await temblor(['password', 'reset', link], environment)).toMatchObject({ code: 0 })
  expect(await login('set with the link')).toMatchObject({ code: 0 })
  expect(await temblor(['password', 'reset', link], environment)).toMatchObject({ code: 4 })
  expect(await temblor(['password', 'reset', 'http://x/'], environment)).toMatchObject({ code: 2 })
  expect(await temblor(['password', 'reset', link])).toMatchObject({ code: 2 })
})
