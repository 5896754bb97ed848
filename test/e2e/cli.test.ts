import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import type { AuditEntry } from '../../shared/api/audit.ts'
import type { Attack, Execution } from '../../shared/api/records.ts'
import { cpuAttack } from '../support/api.ts'
import { startNode, temblor, type Environment } from '../support/command.ts'
import { addUser } from '../support/people.ts'
import { descendants, stillThere } from '../support/processes.ts'
import { freePorts } from '../support/free-ports.ts'
import { startService, temporaryDir, type Service } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'

let service: Service
/** The user's own configuration, where `temblor login` keeps the session. */
const home = temporaryDir()
const remote: Environment = { XDG_CONFIG_HOME: home, HOME: home }
let host: string

beforeAll(async () => {
  service = await startService()
  host = (await service.owner.activeClients())[0]?.identifier ?? ''
  await login()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

/** Signs in with the CLI; further commands find the session. */
const login = (environment: Environment = {}, more: readonly string[] = []) => {
  const { appUrl, owner } = service.local
  return temblor(['login', '--url', appUrl, '--email', owner.email, ...more], {
    ...remote,
    TEMBLOR_PASSWORD: owner.password,
    ...environment,
  })
}
const cli = (...args: string[]) => temblor(args, remote)

/** The one JSON value that a command printed on stdout. */
function printed(ended: { stdout: string }): unknown {
  return JSON.parse(ended.stdout)
}

describe('against a controller', () => {
  test('before signing in every command ends with 4 and says how to', async () => {
    const nobody = temporaryDir()
    for (const args of [
      ['attack', 'list'],
      ['attack', 'run', 'cpu', '--random'],
      ['attack', 'show', 'x'],
      ['attack', 'halt', 'x'],
    ]) {
      const ended = await temblor(args, { XDG_CONFIG_HOME: nobody, HOME: nobody })
      expect(ended.code).toBe(4)
      expect(ended.stderr).toContain('temblor login')
      expect(ended.stdout).toBe('')
    }
    rmSync(nobody, { recursive: true })
  })

  test('a wrong password ends with 4 and tells no secrets', async () => {
    const ended = await login({ TEMBLOR_PASSWORD: 'wrong-password' })
    expect(ended.code).toBe(4)
    expect(ended.stdout + ended.stderr).not.toContain('wrong-password')
  })

  test('signing in works by the address alone, with JSON too', async () => {
    expect(await login()).toMatchObject({ code: 0 })
    const ended = await login({}, ['--json'])
    expect(printed(ended)).toMatchObject({
      email: service.local.owner.email,
      team: { id: service.local.team.id },
    })
    expect(ended.stdout).not.toContain(service.owner.session.token)
  })

  test('an attack is run and followed to its end', async () => {
    const ended = await cli('attack', 'run', 'cpu', '-l', '1', '-p', '10', '--random', '--json')
    expect(ended.code).toBe(0)
    const result = printed(ended) as { attack?: Attack; executions?: Execution[] }
    expect(JSON.stringify(result)).toContain('"Successful"')
    const text = await cli('attack', 'run', 'cpu', '-l1', '--percent=10', '--target', host)
    expect(text.code).toBe(0)
    expect(text.stdout).toContain(host)
    expect(text.stdout).toMatch(/Successful/)
  })

  test('--detach prints the id and leaves it running; list, show, watch and halt know it', async () => {
    const detached = await cli(
      'attack',
      'run',
      'cpu',
      '-l',
      '600',
      '-p',
      '1',
      '--random',
      '--detach',
    )
    expect(detached.code).toBe(0)
    const id = detached.stdout.trim()
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    await service.owner.running(id)

    const list = await cli('attack', 'list', '--json')
    expect(list.code).toBe(0)
    expect(list.stdout).toContain(id)
    expect((await cli('attack', 'list')).stdout).toContain(id)
    const show = await cli('attack', 'show', id, '--json')
    expect(show.code).toBe(0)
    expect(JSON.stringify(printed(show))).toContain('"Running"')
    expect((await cli('attack', 'show', id)).stdout).toContain(host)

    const watching = startNode(['agent/cli/bin.js', 'attack', 'watch', id, '--json'], remote)
    const halt = await cli('attack', 'halt', id, '--json')
    expect(halt.code).toBe(0)
    expect(halt.stdout).toContain(id)
    await service.owner.finished(id)
    await until('watch has ended', () => watching.hasEnded(), 10_000)
    const watched = await watching.ended
    expect(watched.code).toBe(5)
    expect(watched.stdout).toContain('UserHalted')
    expect((await cli('attack', 'halt', id)).code).toBe(0)
  })

  test('Ctrl-C while it follows halts the attack and ends with 130', async () => {
    const running = startNode(
      ['agent/cli/bin.js', 'attack', 'run', 'cpu', '-l', '600', '-p', '1', '--random'],
      remote,
    )
    const id = await until(
      'it runs',
      async () => {
        const [, found] = /([0-9a-f-]{36})/.exec(running.output()) ?? []
        return found && (await service.owner.readAttack(found)).stage === 'Running' && found
      },
      15_000,
      apiPollMs,
    )
    expect(await running.stop('SIGINT')).toMatchObject({ code: 130 })
    const rows = await service.owner.finished(id)
    expect(rows.map((row) => row.stage)).toEqual(['UserHalted'])
  })

  test.each<[string, number, string[], RegExp]>([
    ['an unknown flag', 2, ['--random', '--lenght', '5'], /--length/],
    ['a value out of range', 2, ['--random', '-p', '101'], /from 1 to 100/],
    ['a flag without a value', 2, ['--random', '-l'], /-l|length/],
    ['a flag twice', 2, ['--random', '-l', '1', '-l', '2'], /once/],
    ['a contradiction', 2, ['--random', '-a', '-c', '1'], /contradict/],
    ['a word too many', 2, ['--random', '60'], /60|argument/],
    ['no target', 2, ['-l', '1'], /--random|--target/],
    ['two targets', 2, ['--random', '--target', 'x'], /--target/],
    ['a label without a value', 2, ['--random', '--label', 'app'], /key=value/],
    ['a host that is not there', 1, ['--target', 'nobody', '-l', '1'], /nobody/],
    ['labels that match nothing', 1, ['--random', '--label', 'app=none-such'], /label|container/i],
  ])('%s ends with %d, says what is allowed and creates nothing', async (_, code, args, text) => {
    const before = await service.owner.attacks()
    const ended = await cli('attack', 'run', 'cpu', ...args)
    expect(ended.code).toBe(code)
    expect(ended.stderr).toMatch(text)
    expect(ended.stderr).not.toMatch(/ at .*\.ts:\d+/)
    expect(ended.stdout).toBe('')
    expect((await service.owner.attacks()).length).toBe(before.length)
  })

  test('what does not exist ends with 1, an unknown command with 2', async () => {
    expect(await cli('attack', 'show', '00000000-0000-4000-8000-000000000000')).toMatchObject({
      code: 1,
    })
    expect((await cli('attack', 'run', 'cpus', '--random')).code).toBe(2)
    expect((await cli('attakc')).code).toBe(2)
  })

  test('a viewer is told which privilege is missing', async () => {
    const viewer = await addUser(service, 'cli-viewer@example.com', {
      company: service.local.company.name,
      team: service.local.team.name,
      teamRole: 'TEAM_VIEWER',
    })
    const ended = await temblor(['attack', 'run', 'cpu', '-l', '1', '--random'], {
      ...remote,
      TEMBLOR_URL: service.local.appUrl,
      TEMBLOR_TOKEN: viewer.session.token,
    })
    expect(ended.code).not.toBe(0)
    expect(ended.stderr).toContain('EXPERIMENTS_RUN')
  })

  test('a controller that is not there is named, without a stack', async () => {
    const [port] = await freePorts(1)
    const ended = await temblor(['attack', 'list'], {
      ...remote,
      TEMBLOR_URL: `http://127.0.0.1:${port}`,
      TEMBLOR_TOKEN: 'x',
    })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain(`127.0.0.1:${port}`)
    expect(ended.stderr).not.toMatch(/ at .*\.ts:\d+/)
  })
})

describe('anywhere', () => {
  test('version says which', async () => {
    expect((await cli('version')).stdout).toContain(manifest.version)
    expect(printed(await cli('version', '--json'))).toMatchObject({ version: manifest.version })
    expect((await cli('--version')).stdout).toContain(manifest.version)
  })

  test('help shows the commands and the flags of an attack with their limits', async () => {
    const help = await cli('--help')
    expect(help.code).toBe(0)
    for (const command of [
      'init',
      'status',
      'check',
      'attack',
      'attack-container',
      'rollback',
      'version',
      'login',
    ])
      expect(help.stdout).toContain(command)
    const run = await cli('attack', 'run', 'cpu', '--help')
    const text = run.stdout.replaceAll(/\s+/g, ' ')
    for (const flag of ['--length', '--cores', '--all-cores', '--percent', 'from 1 to 100'])
      expect(text).toContain(flag)
  })

  test('without a command it shows its help', async () => {
    const ended = await cli()
    expect(ended.stdout + ended.stderr).toContain('attack')
  })
})

test('an attack started by hand on a host with a running agent is shown as Manual', async () => {
  const agent = { TEMBLOR_AGENT_DIR: `${service.dataDir}/agent` }
  const ended = await temblor(['attack', 'cpu', '-l', '2', '-p', '10', '--json'], agent)
  expect(ended.code).toBe(0)
  expect(ended.stdout).toContain('Successful')
  const manual = await until(
    'the controller knows of it',
    async () => (await service.owner.attacks()).find((one) => one.create_source === 'Manual'),
    10_000,
    apiPollMs,
  )
  const rows = await service.owner.finished(manual.guid)
  expect(rows).toMatchObject([{ stage: 'Successful', client_id: host }])
  const { json } = await service.owner.send('GET', '/audit?action=attack.create&pageSize=100')
  const { items } = json as { items: AuditEntry[] }
  const own = items.filter(({ target }) => target?.id === manual.guid)
  expect(own).toMatchObject([{ actor: { kind: 'host', name: host }, detail: { source: 'Manual' } }])
})

test('one started by hand is halted by the API', async () => {
  const agent = { TEMBLOR_AGENT_DIR: `${service.dataDir}/agent` }
  const children = descendants(service.part('agent').pid)
  const before = new Set((await service.owner.attacks()).map((one) => one.guid))
  const running = startNode(['agent/cli/bin.js', 'attack', 'cpu', '-l', '600', '-p', '5'], agent)
  const { guid } = await until(
    'the controller knows of it',
    async () =>
      (await service.owner.attacks()).find(
        (one) => !before.has(one.guid) && one.stage === 'Running',
      ),
    15_000,
    apiPollMs,
  )
  await service.owner.halt(guid)
  await until('the command has ended', () => running.hasEnded(), 10_000)
  expect((await running.ended).code).toBe(5)
  const extra = descendants(service.part('agent').pid).filter(
    (one) => !children.some((old) => old.pid === one.pid),
  )
  expect(stillThere(extra)).toEqual([])
})

test('a request of the API is not touched by rollback on another folder', async () => {
  const id = await service.owner.attack(cpuAttack('-l 2 -p 5'))
  await service.owner.running(id)
  const elsewhere = temporaryDir()
  const ended = await temblor(['rollback', '--json'], { TEMBLOR_AGENT_DIR: elsewhere })
  expect(ended.code).toBe(0)
  rmSync(elsewhere, { recursive: true, force: true })
  expect(await service.owner.finished(id)).toMatchObject([{ stage: 'Successful' }])
})
