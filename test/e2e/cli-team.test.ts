import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../shared/api/clients.ts'
import { temblor, type Environment } from '../support/command.ts'
import { startService, temporaryDir, type Service } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'

let service: Service
const home = temporaryDir()
const remote: Environment = { XDG_CONFIG_HOME: home, HOME: home }
let host: string

beforeAll(async () => {
  service = await startService()
  host = (await service.owner.activeClients())[0]?.identifier ?? ''
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

const cli = (...args: string[]) => temblor(args, remote)
const login = () => {
  const { appUrl, owner } = service.local
  return temblor(['login', '--url', appUrl, '--email', owner.email], {
    ...remote,
    TEMBLOR_PASSWORD: owner.password,
  })
}

test('whoami says who, where and what is allowed; logout ends the session for good', async () => {
  expect((await cli('whoami')).code).toBe(4)
  await login()
  const who = await cli('whoami')
  expect(who.stdout).toContain(service.local.owner.email)
  expect(who.stdout).toMatch(/privileges .*EXPERIMENTS_RUN/)
  const { stdout } = await cli('whoami', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ org_id: service.local.team.id })

  const file = `${home}/temblor/credentials.json`
  const { authorization } = JSON.parse(execFileSync('cat', [file], { encoding: 'utf8' })) as {
    authorization: string
  }
  expect((await cli('logout')).code).toBe(0)
  expect(existsSync(file)).toBe(false)
  expect((await cli('attack', 'list')).code).toBe(4)
  const token = { TEMBLOR_URL: service.local.appUrl, TEMBLOR_TOKEN: authorization }
  expect((await temblor(['whoami'], { ...remote, ...token })).code).toBe(4)
  expect(await cli('logout')).toMatchObject({ code: 0, stdout: 'Nobody is signed in.\n' })
})

test('attack types come from the controller, and without one from the program itself', async () => {
  await login()
  const signedIn = await cli('attack', 'types', '--json')
  await cli('logout')
  const offline = await cli('attack', 'types', '--json')
  expect(JSON.parse(offline.stdout)).toEqual(JSON.parse(signedIn.stdout))
  expect(offline.stderr).toContain('Not signed in')
  const flags = await cli('attack', 'types', 'cpu')
  expect(flags.stdout).toMatch(/-p, --percent +100 +% /)
  const unknown = await cli('attack', 'types', 'cpx')
  expect(unknown.code).toBe(2)
  expect(unknown.stderr).toContain('Did you mean cpu?')
})

test('a host is listed, shown, revoked and let back in', async () => {
  await login()
  expect((await cli('client', 'list')).stdout).toMatch(new RegExp(`${host} +ACTIVE`))
  const shown = await cli('client', 'show', host)
  expect(shown.stdout).toMatch(/cpu +Host +yes/)
  expect(shown.stdout).toContain('owner allows')
  expect((await cli('client', 'show', 'none-such')).code).toBe(1)

  expect((await cli('client', 'revoke', host)).code).toBe(0)
  const { stdout } = await cli('client', 'list', '--json')
  expect(JSON.parse(stdout)).toMatchObject([{ identifier: host, state: 'REVOKED' }])
  expect((await cli('client', 'list', '--active')).stdout).toContain('There is no host')
  expect((await cli('client', 'activate', host)).code).toBe(0)
  await until(
    'the agent is back',
    async () => (await service.owner.get<Client>(`/clients/${host}`)).targetable,
    60_000,
    apiPollMs,
  )
})

/** What bash offers after these words; the last is being typed. */
function offered(script: string, ...words: string[]): string[] {
  const all = ['temblor', ...words].map((word) => `'${word}'`).join(' ')
  const run = `${script}\nCOMP_WORDS=(${all}); COMP_CWORD=${words.length}; _temblor; echo "\${COMPREPLY[*]}"`
  return execFileSync('bash', ['-c', run], { encoding: 'utf8' }).trim().split(' ')
}

describe('completion', () => {
  test('the bash script knows commands, attack types and their flags', async () => {
    const { stdout } = await cli('completion', 'bash')
    expect(offered(stdout, 'att')).toEqual(['attack', 'attack-container'])
    expect(offered(stdout, 'attack', 'run', 'c')).toEqual(['cpu'])
    expect(offered(stdout, 'attack', 'run', 'cpu', '--le')).toEqual(['--length'])
    expect(offered(stdout, 'attack', 'cpu', '-p', '5', '--all')).toEqual(['--all-cores'])
    expect(offered(stdout, 'attack-container', 'web', 'cpu', '--perc')).toEqual(['--percent'])
    expect(offered(stdout, 'completion', '')).toContain('zsh')
  })

  test('zsh gets one too, another shell does not', async () => {
    const zsh = await cli('completion', 'zsh')
    expect(zsh.stdout).toMatch(/^#compdef temblor\n/)
    expect(zsh.stdout).toContain("'attack run cpu'")
    expect(zsh.stdout).toContain('--length:How long')
    expect((await cli('completion', 'fish')).code).toBe(2)
  })
})

test.each<[string[], string]>([
  [['atack'], 'attack'],
  [['attack', 'wach'], 'watch'],
  [['attack', 'halt', '--al'], '--all'],
  [['client', 'revok', 'x'], 'revoke'],
  [['container', 'lables'], 'labels'],
  [['attack', 'run', 'cpu', '--lenght', '5'], '--length'],
])('%j suggests %s', async (args, near) => {
  const ended = await cli(...args)
  expect(ended.code).toBe(2)
  expect(ended.stderr).toContain(near)
})

test('help names the exit codes', async () => {
  expect((await cli('--help')).stdout).toMatch(/Exit codes:[^]*3 the attack failed[^]*130/)
})
