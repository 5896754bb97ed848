import { spawn } from 'node:child_process'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AttackPreview } from '../../shared/api/attacks.ts'
import type { Attack } from '../../shared/api/records.ts'
import { cpuAttack } from '../support/api.ts'
import { repository, startNode, temblor, type Environment } from '../support/command.ts'
import { startService, temporaryDir, type Service } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'

let service: Service
const home = temporaryDir()
let remote: Environment
let host: string

beforeAll(async () => {
  service = await startService()
  host = (await service.owner.activeClients())[0]?.identifier ?? ''
  remote = {
    XDG_CONFIG_HOME: home,
    HOME: home,
    TEMBLOR_URL: service.local.appUrl,
    TEMBLOR_TOKEN: service.owner.session.token,
  }
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

const cli = (...args: string[]) => temblor(args, remote)
const json = async <T>(...args: string[]) => JSON.parse((await cli(...args, '--json')).stdout) as T
const listed = async (...more: string[]) =>
  (await json<Attack[]>('attack', 'list', ...more)).map((one) => one.guid)
const lines = (text: string) => text.trim().split('\n')
const noAttack = '00000000-0000-4000-8000-000000000000'

interface EventLine {
  readonly event: string
  readonly stage?: string
  readonly attack: Attack
}

/** The CLI on a terminal of its own, with an answer for each question. */
async function onTerminal(args: readonly string[], ...answers: [RegExp, string][]) {
  const command = [process.execPath, 'agent/cli/bin.js', ...args].map((arg) => `'${arg}'`).join(' ')
  const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
    cwd: repository,
    env: { ...process.env, ...remote, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  let asked = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    asked += text
    const [question, answer] = answers[0] ?? []
    if (!question?.test(asked)) return
    answers.shift()
    asked = ''
    child.stdin.write(answer)
  })
  const code = await new Promise<number | null>((done) => child.once('close', done))
  return { code, output }
}

/** A way to the controller that can be cut. */
async function cuttableProxy() {
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const { hostname, port } = new URL(service.baseUrl)
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
    }
    client.pipe(upstream).pipe(client)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of open) socket.destroy()
    },
    close: () => server.close(),
  }
}

describe('preview', () => {
  test('says who would be hit and starts nothing', async () => {
    const before = (await service.owner.attacks()).length
    const ended = await cli('attack', 'preview', 'cpu', '-l', '5', '--target', host)
    expect(ended).toMatchObject({ code: 0 })
    expect(ended.stdout).toContain(`cpu for 5 s would hit 1 host (${host}). Nothing was started.`)
    const preview = await json<AttackPreview>('attack', 'run', 'cpu', '--preview', '--random')
    expect(preview.would_hit).toMatchObject([{ client_id: host, cannot: null }])
    expect((await service.owner.attacks()).length).toBe(before)
  })

  test('ends with 3 when it would not start', async () => {
    const ended = await cli('attack', 'run', 'cpu', '--preview', '--target', 'nobody')
    expect(ended.code).toBe(3)
    expect(ended.stdout).toContain('nobody')
  })
})

describe('on a terminal', () => {
  test('the blast radius is named first, and No starts nothing', async () => {
    const before = (await service.owner.attacks()).length
    const run = ['attack', 'run', 'cpu', '-l', '2', '-p', '5', '--target', host]
    const ended = await onTerminal(run, [/y\/N/, 'n\r'])
    expect(ended.output).toContain(`this hits 1 host (${host}). Go on?`)
    expect(ended.code).toBe(130)
    expect((await service.owner.attacks()).length).toBe(before)
    expect((await onTerminal([...run, '--yes'])).code).toBe(0)
  })

  test('halting everything names what would be halted', async () => {
    const id = await service.owner.attack(cpuAttack('-l 600 -p 1'))
    await service.owner.running(id)
    const declined = await onTerminal(['attack', 'halt', '--all'], [/y\/N/, '\r'])
    expect(declined.output).toContain(id)
    expect(declined.output).toMatch(/This halts 1 attack of team .* on 1 host/)
    expect(declined.code).toBe(130)
    expect((await service.owner.readAttack(id)).stage).toBe('Running')
    const halted = await onTerminal(['attack', 'halt', '--all'], [/y\/N/, 'y\r'])
    expect(halted.code).toBe(0)
    expect(await service.owner.finished(id)).toMatchObject([{ stage: 'UserHalted' }])
  })

  test('Ctrl-C asks whether to halt, and No lets it go on', async () => {
    const run = ['attack', 'run', 'cpu', '-l', '600', '-p', '1', '--random', '--yes']
    const ended = await onTerminal(run, [/Running/, '\x03'], [/Y\/n/, 'n\r'])
    expect(ended.code).toBe(130)
    const [, id = ''] = /attack ([0-9a-f-]{36})/.exec(ended.output) ?? []
    expect((await service.owner.readAttack(id)).stage).toBe('Running')
    expect((await cli('attack', 'halt', id)).code).toBe(0)
    await service.owner.finished(id)
  })
})

describe('watching', () => {
  test('with --json each event of an attack is one line, the last with the end', async () => {
    const id = await service.owner.attack(cpuAttack('-l 4 -p 5'))
    const watched = await cli('attack', 'watch', id, '--json')
    expect(watched.code).toBe(0)
    const events = lines(watched.stdout).map((line) => JSON.parse(line) as EventLine)
    const stages = events.map((event) => event.stage)
    expect(stages).toContain('Running')
    expect(stages.filter((stage) => stage === 'Running').length).toBeGreaterThan(1)
    expect(events.at(-1)).toMatchObject({ event: 'end', attack: { stage: 'Successful' } })
  })

  test('one that was over before is told at once', async () => {
    const id = await service.owner.attack(cpuAttack('-l 1 -p 5'))
    await service.owner.finished(id)
    const watched = await cli('attack', 'watch', id)
    expect(watched).toMatchObject({ code: 0 })
    expect(watched.stdout).toContain('Successful')
    expect((await cli('attack', 'watch', noAttack)).code).toBe(1)
  })

  test('a broken connection is resumed without missing an event', async () => {
    const proxy = await cuttableProxy()
    const id = await service.owner.attack(cpuAttack('-l 10 -p 5'))
    const watching = startNode(['agent/cli/bin.js', 'attack', 'watch', id, '--json'], {
      ...remote,
      TEMBLOR_URL: proxy.url,
    })
    const seen = () => watching.output().split('"event":"execution"').length - 1
    await until('it runs', () => watching.output().includes('"stage":"Running"'), 10_000)
    for (let cut = 0; cut < 2; cut += 1) {
      const before = seen()
      proxy.cut()
      await until('it goes on', () => seen() > before, 10_000)
    }
    const ended = await watching.ended
    proxy.close()
    expect(ended.code).toBe(0)
    const events = lines(ended.stdout).map((line) => JSON.parse(line) as EventLine)
    const stages = events.map((event) => event.stage)
    expect(stages).toEqual(expect.arrayContaining(['Running', 'TearingDown', 'Successful']))
    expect(stages.filter((stage) => stage === 'Successful')).toHaveLength(1)
    expect(events.at(-1)?.event).toBe('end')
  })

  test('without an id it shows all attacks of the team, until Ctrl-C', async () => {
    const watching = startNode(['agent/cli/bin.js', 'attack', 'watch'], remote)
    await until('it waits', () => watching.output().includes('Waiting for attacks'), 10_000)
    // The stream is open a moment after it says so.
    const ids: string[] = []
    await until(
      'an attack is shown',
      async () => {
        const id = await service.owner.attack(cpuAttack('-l 1 -p 5'))
        await service.owner.finished(id)
        ids.push(id)
        return ids.some((one) => new RegExp(`${one}.* Successful`).test(watching.output()))
      },
      20_000,
      apiPollMs,
    )
    const ended = await watching.stop('SIGINT')
    expect(ended.code).toBe(130)
    expect(ended.stdout).toContain(host)
  })
})

describe('records', () => {
  test('show has asked beside measured, the stages with times, and a chart', async () => {
    const id = await service.owner.attack(cpuAttack('-l 4 -p 20'))
    await service.owner.finished(id)
    const shown = await cli('attack', 'show', id, '--metrics')
    expect(shown.stdout).toMatch(/Running \+\d+\.\d s.*Successful \+\d+\.\d s/)
    expect(shown.stdout).toMatch(/ASKED +MEASURED/)
    expect(shown.stdout).toMatch(/╌ asked \d/)
    expect(shown.stdout).toMatch(/\d values over \d s, in percent of capacity/)
    const { metrics } = await json<{ metrics: { lines: unknown[] } }>(
      'attack',
      'show',
      id,
      '--metrics',
    )
    expect(metrics.lines).toHaveLength(1)
  })

  test('list knows active, completed, since and limit', async () => {
    const over = await service.owner.attack(cpuAttack('-l 1 -p 5'))
    await service.owner.finished(over)
    const active = await service.owner.attack(cpuAttack('-l 600 -p 1'))
    expect(await listed('--active')).toEqual([active])
    expect(await listed('--completed', '--limit', '1')).toEqual([over])
    expect(await listed('--since', '1h', '--limit', '2')).toEqual([active, over])
    expect(await listed('--since', '1h', '--completed', '--limit', '1')).toEqual([over])
    expect(await listed('--until', '1h')).toEqual([])
    const { targets, create_user: user } = await service.owner.readAttack(active)
    const fitting = ['--type', 'cpu', '--stage', 'Pending,Distributed,Initializing,Running']
    fitting.push('--user', user, '--host', targets[0] ?? '', '--text', active.slice(0, 13))
    expect(await listed(...fitting)).toEqual([active])
    expect(await listed(...fitting, '--stage', 'Successful')).toEqual([])
    for (const flag of ['--type', '--user', '--host', '--text'])
      expect([flag, await listed(...fitting, flag, 'another')]).toEqual([flag, []])
    const unknown = await cli('attack', 'list', '--stage', 'Burning')
    expect(unknown.code).not.toBe(0)
    expect(unknown.stderr).toContain('Burning')
    expect((await cli('attack', 'list', '--since', 'yesterday')).code).toBe(2)
    expect((await cli('attack', 'list', '--active', '--completed')).code).toBe(2)
    await cli('attack', 'halt', active)
    await service.owner.finished(active)
  })

  test('a halt takes several ids and keeps reason and reference', async () => {
    const ids = await Promise.all([
      service.owner.attack(cpuAttack('-l 600 -p 1')),
      service.owner.attack(cpuAttack('-l 600 -p 1')),
    ])
    const why = ['--reason', 'drill', '--reference', 'https://tickets/1']
    const halted = await cli('attack', 'halt', ...ids, noAttack, ...why)
    expect(halted.code).toBe(1)
    expect(halted.stderr).toContain(noAttack)
    for (const id of ids) {
      await service.owner.finished(id)
      expect(await service.owner.readAttack(id)).toMatchObject({
        halt_reason: 'drill',
        halt_reference: 'https://tickets/1',
      })
    }
    const shown = await cli('attack', 'show', ids[0])
    expect(shown.stdout).toContain('(drill, https://tickets/1)')
    expect((await cli('attack', 'halt')).code).toBe(2)
    expect((await cli('attack', 'halt', ids[0], '--all')).code).toBe(2)
  })

  test('an attack can be annotated', async () => {
    const id = await service.owner.attack(cpuAttack('-l 1 -p 5'))
    const note = ['--note', 'p99 rose', '--set', 'game day=7', '--metric', 'p99_ms=1200.5']
    expect((await cli('attack', 'annotate', id, ...note)).code).toBe(0)
    expect((await cli('attack', 'annotate', id, '--note', 'p99 rose to 2 s')).code).toBe(0)
    expect(await service.owner.readAttack(id)).toMatchObject({
      annotations: {
        notes: 'p99 rose to 2 s',
        otherAnnotations: { 'game day': '7' },
        metrics: { p99_ms: 1200.5 },
      },
    })
    expect((await cli('attack', 'show', id)).stdout).toContain('Note: p99 rose to 2 s')
    expect((await cli('attack', 'annotate', id)).code).toBe(2)
    await service.owner.finished(id)
  })

  test('with one idempotency key an attack is run once', async () => {
    const run = ['attack', 'run', 'cpu', '-p', '5', '--random', '--detach']
    const once = await cli(...run, '-l', '1', '--idempotency-key', 'build-17')
    const again = await cli(...run, '-l', '1', '--idempotency-key', 'build-17')
    expect(again).toMatchObject({ code: 0, stdout: once.stdout })
    const other = await cli(...run, '-l', '2', '--idempotency-key', 'build-17')
    expect(other.code).toBe(1)
    expect(other.stdout).toBe('')
    await service.owner.finished(once.stdout.trim())
  })
})
