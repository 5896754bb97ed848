import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startNode, temblor } from '../support/command.ts'
import {
  dockerSkipReason,
  needsDocker,
  targetContainers,
  type TargetContainer,
  type TargetContainers,
} from '../support/docker.ts'
import { cpuRate } from '../support/effect.ts'
import { cpuSeconds, descendants, stillThere, withEnvironment } from '../support/processes.ts'
import { temporaryDir } from '../support/service.ts'
import { until } from '../support/until.ts'

/** A host that never joined a controller: local attacks need none. */
const dir = temporaryDir()
const environment = { TEMBLOR_AGENT_DIR: dir }
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const cli = (...args: string[]) => temblor(args, environment)
const burning = () => withEnvironment('TEMBLOR_AGENT_DIR', dir)

/** Starts a local attack and waits until it burns. */
async function start(args: readonly string[]) {
  const running = startNode(['agent/cli/bin.js', ...args], environment)
  const all = () => descendants(running.pid)
  await until('it burns', async () => (await cpuRate(() => cpuSeconds(all()), 0.3)) > 0.1)
  return { running, processes: all() }
}

describe('on a host without a controller', () => {
  test('an attack does what was asked, shows it and leaves nothing', async () => {
    const ended = await cli('attack', 'cpu', '-l', '3', '-p', '20', '--json')
    expect(ended.code).toBe(0)
    const text = JSON.stringify(JSON.parse(ended.stdout))
    expect(text).toContain('"Successful"')
    expect(text).toContain('measured')
    expect(burning()).toEqual([])
  })

  test('for people it says what was asked and what was measured', async () => {
    const ended = await cli('attack', 'cpu', '-l', '1', '-p', '10')
    expect(ended.code).toBe(0)
    expect(ended.stdout).toMatch(/\d+(\.\d+)? ?%/)
  })

  test.each<[string, string[], RegExp]>([
    ['an unknown flag', ['--lenght', '5'], /--length/],
    ['a value out of range', ['-p', '0'], /from 1 to 100/],
    ['not a number', ['-l', 'abc'], /abc/],
    ['a negative number', ['-l', '-5'], /-5/],
    ['a flag twice', ['-p', '1', '--percent=2'], /once/],
    ['a contradiction', ['-c', '1', '-a'], /contradict/],
  ])('%s ends with 2 before anything is done', async (_, args, message) => {
    const ended = await cli('attack', 'cpu', ...args)
    expect(ended.code).toBe(2)
    expect(ended.stderr).toMatch(message)
    expect(ended.stdout).toBe('')
  })

  test.each([['SIGINT'], ['SIGTERM']] as const)(
    '%s ends the fault and the command with 130',
    async (signal) => {
      const { running, processes } = await start(['attack', 'cpu', '-l', '600', '-p', '30'])
      const { code } = await running.stop(signal)
      expect(code).toBe(130)
      expect(stillThere(processes)).toEqual([])
    },
  )

  test('the fault dies with the command, and the next one reverts what is left', async () => {
    const { running, processes } = await start(['attack', 'cpu', '-l', '600', '-p', '30'])
    running.child.kill('SIGKILL')
    await until('nothing burns', () => stillThere(processes).length === 0, 2000)
    const ended = await cli('rollback', '--json')
    expect(ended.code).toBe(0)
    expect(JSON.parse(ended.stdout)).toEqual(expect.anything())
    expect(await cli('attack', 'cpu', '-l', '1', '-p', '5')).toMatchObject({ code: 0 })
  })

  test('status, check and rollback answer for people and for programs', async () => {
    for (const command of ['status', 'check', 'rollback']) {
      const text = await cli(command)
      expect(text.stdout + text.stderr).toMatch(/\w/)
      const json = await cli(command, '--json')
      expect(JSON.parse(json.stdout)).toEqual(expect.anything())
    }
    expect((await cli('rollback')).code).toBe(0)
  })

  test('check names what the host can do', async () => {
    const { stdout } = await cli('check', '--json')
    expect(stdout).toContain('cpu')
  })

  test('an attack above what the owner allows is refused', async () => {
    const limited = { ...environment, TEMBLOR_MAX_PERCENT: '10' }
    const refused = await temblor(['attack', 'cpu', '-l', '1', '-p', '11'], limited)
    expect(refused.code).not.toBe(0)
    expect(refused.stderr + refused.stdout).toContain('10')
    expect(await temblor(['attack', 'cpu', '-l', '1', '-p', '10'], limited)).toMatchObject({
      code: 0,
    })
  })
})

describe('attack-container', () => {
  needsDocker()
  let containers: TargetContainers
  let target: TargetContainer
  let kept: TargetContainer
  beforeAll(async () => {
    if (dockerSkipReason) return
    containers = await targetContainers()
    target = await containers.start({ app: 'cli' })
    kept = await containers.start({ app: 'cli', 'temblor.protect': 'true' })
  })
  afterAll(() => containers?.[Symbol.asyncDispose]())

  test('hits the container by its name or the start of its id, and only it', async () => {
    for (const name of [target.name, target.id.slice(0, 12)]) {
      const before = target.cpuSeconds()
      const ended = await cli('attack-container', name, 'cpu', '-l', '2', '-p', '60', '--json')
      expect(ended.code).toBe(0)
      expect(ended.stdout).toContain('Successful')
      const used = target.cpuSeconds() - before
      expect(Math.abs(used - 2 * 0.5 * 0.6)).toBeLessThan(0.2)
      expect(target.pids().length).toBe(1)
    }
  })

  test('one that is not there, or that its owner protects, is refused', async () => {
    const missing = await cli('attack-container', 'no-such-container', 'cpu', '-l', '1')
    expect(missing.code).not.toBe(0)
    expect(missing.stderr + missing.stdout).toContain('no-such-container')
    const refused = await cli('attack-container', kept.name, 'cpu', '-l', '1')
    expect(refused.code).not.toBe(0)
    expect(refused.stderr + refused.stdout).toContain('temblor.protect')
    expect(kept.cpuSeconds()).toBeLessThan(0.05)
  })

  test('Ctrl-C frees the container', async () => {
    const running = startNode(
      ['agent/cli/bin.js', 'attack-container', target.name, 'cpu', '-l', '600', '-p', '60'],
      environment,
    )
    await until('it burns', async () => (await cpuRate(target.cpuSeconds, 0.3)) > 0.1)
    expect((await running.stop('SIGINT')).code).toBe(130)
    expect(target.pids().length).toBe(1)
    expect(await cpuRate(target.cpuSeconds, 0.3)).toBeLessThan(0.02)
  })
})
