import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startNode, temblor, temblorJson } from '../support/command.ts'
import { untilTargetable } from '../support/agent.ts'
import { cpuAttack } from '../support/api.ts'
import { addTeam } from '../support/people.ts'
import { startService, temporaryDir, type Service } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.[Symbol.asyncDispose]())

const admin = (...args: string[]) =>
  temblor(['admin', ...args], { TEMBLOR_DATA_DIR: service.dataDir })

describe('temblor admin', () => {
  test('makes a company, a team in it and a person who can sign in', async () => {
    const company = await service.admin<{ id: string; name: string }>([
      'company',
      'add',
      'Umbrella',
    ])
    expect(company.name).toBe('Umbrella')
    await addTeam(service, 'Research', 'Umbrella')
    const user = await service.admin<{ email: string; password: string }>([
      'user',
      'add',
      'ann@umbrella.example',
      '--company=Umbrella',
      '--team=Research',
      '--team-role=TEAM_USER',
      '--company-role=COMPANY_USER',
    ])
    const api = await service.signIn(user)
    expect(api.session).toMatchObject({ company_id: company.id, org_name: 'Research' })
    expect(api.session.teams[0]?.roles).toEqual(['TEAM_USER'])
  })

  test('a password that is given is not printed', async () => {
    const ended = await temblor(
      ['admin', 'user', 'add', 'p@example.com', '--company', service.local.company.name],
      { TEMBLOR_DATA_DIR: service.dataDir, TEMBLOR_PASSWORD: 'given-by-me-123' },
    )
    expect(ended.code).toBe(0)
    expect(ended.stdout + ended.stderr).not.toContain('given-by-me-123')
  })

  test.each([
    ['a company that is there', ['company', 'add', 'Temblor'], /Temblor/],
    ['a company with a bar in its name', ['company', 'add', 'a|b'], /\||name/],
    ['a company without a name', ['company', 'add', ''], /name/i],
    ['a team with a semicolon', ['team', 'add', 'a;b', '--company', 'Temblor'], /;|name/],
    ['a team with a comma', ['team', 'add', 'a,b', '--company', 'Temblor'], /,|name/],
    ['a team that is there', ['team', 'add', 'Default', '--company', 'Temblor'], /Default/],
    ['a team in no company', ['team', 'add', 'x', '--company', 'Nowhere'], /Nowhere/],
    ['a user in no company', ['user', 'add', 'x@y.z', '--company', 'Nowhere'], /Nowhere/],
    [
      'a user in no team',
      ['user', 'add', 'x@y.z', '--company', 'Temblor', '--team', 'Nowhere'],
      /Nowhere/,
    ],
    [
      'an unknown role',
      ['user', 'add', 'x@y.z', '--company', 'Temblor', '--team-role', 'TEAM_KING'],
      /TEAM_KING.*TEAM_MANAGER/s,
    ],
    ['no email address', ['user', 'add', 'nobody', '--company', 'Temblor'], /email|address/i],
    ['no command', ['nonsense'], /nonsense|command/],
  ])('%s is refused in plain words', async (_, args, message) => {
    const ended = await admin(...args)
    expect(ended.code).not.toBe(0)
    expect(ended.stderr).toMatch(message)
    expect(ended.stderr).not.toMatch(/ at .*\.ts:\d+/)
    expect(ended.stdout).toBe('')
  })

  test('without the folder of a service it says where it looked', async () => {
    const empty = temporaryDir()
    const ended = await temblor(['admin', 'company', 'add', 'X'], { TEMBLOR_DATA_DIR: empty })
    rmSync(empty, { recursive: true, force: true })
    expect(ended.code).not.toBe(0)
    expect(ended.stderr).toContain(empty)
    expect(ended.stderr).not.toMatch(/ at .*\.ts:\d+/)
  })
})

describe('adding a host by hand', () => {
  test('init joins with the printed line, agent run serves, status and check say so', async () => {
    const dir = temporaryDir()
    const environment = { TEMBLOR_AGENT_DIR: dir, TEMBLOR_IDENTIFIER: 'by-hand' }
    const joined = await temblor(['init', '--json'], {
      ...environment,
      TEMBLOR_JOIN: service.local.join,
    })
    expect(joined.code).toBe(0)
    expect(joined.stdout).not.toContain('secret')
    const running = startNode(['agent/cli/bin.js', 'agent', 'run'], environment)
    try {
      await untilTargetable(service.owner, 'by-hand')
      const stageOf = async () => {
        const target = { type: 'Exact', exact: ['by-hand'] } as const
        const id = await service.owner.attack(cpuAttack('-l 1 -p 1', target))
        return (await service.owner.finished(id))[0]?.stage
      }
      const status = () => temblorJson<object>(['status'], environment)
      expect(await stageOf()).toBe('Successful')
      expect(await status()).toMatchObject({ identifier: 'by-hand', problems: [] })
      expect((await temblor(['check'], environment)).code).toBe(0)

      const [journal, aside] = [join(dir, 'journal'), join(dir, 'aside')]
      renameSync(journal, aside)
      expect(await stageOf()).toBe('InitializationFailed')
      const problem = 'The journal cannot be written: no such file or directory.'
      expect(await status()).toMatchObject({ problems: [problem] })
      expect((await temblor(['status'], environment)).stdout).toContain(problem)
      renameSync(aside, journal)
      expect(await stageOf()).toBe('Successful')
      expect(await status()).toMatchObject({ problems: [] })
    } finally {
      await running.stop('SIGTERM')
      rmSync(dir, { recursive: true, force: true })
    }
  })

  test.each([
    ['nonsense', 'temblor://'],
    ['temblor://127.0.0.1:1/x', 'team'],
  ])('init with "%s" says what is missing', async (line, missing) => {
    const dir = temporaryDir()
    const ended = await temblor(['init'], { TEMBLOR_AGENT_DIR: dir, TEMBLOR_JOIN: line })
    rmSync(dir, { recursive: true, force: true })
    expect(ended.code).not.toBe(0)
    expect(ended.stderr).toContain(missing)
    expect(ended.stderr).not.toMatch(/ at .*\.ts:\d+/)
  })
})
