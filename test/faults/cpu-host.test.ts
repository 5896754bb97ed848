import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostCores } from '../../agent/host/control-groups.ts'
import {
  bootId,
  cpuSeconds,
  findByArgument,
  identify,
  isAlive,
} from '../../agent/host/processes.ts'
import { Journal } from '../../agent/journal.ts'
import { effectOf } from '../support/effect.ts'
import { elapse, until } from '../support/until.ts'
import { executorRig, type ExecutorRig } from './executor-rig.ts'

let rig: ExecutorRig
const parents: ChildProcess[] = []
beforeAll(async () => {
  rig = await executorRig()
})
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]()
  for (const parent of parents) parent.kill('SIGKILL')
})

/** An agent's executor in a process of its own that runs one attack until somebody ends it. */
async function startParent(): Promise<{ child: ChildProcess; marker: string; stateDir: string }> {
  const stateDir = mkdtempSync(join(tmpdir(), 'temblor-parent-'))
  const instanceId = randomUUID()
  const script = `
    const { executorRig } = await import(${JSON.stringify(new URL('executor-rig.ts', import.meta.url).href)})
    const rig = await executorRig(${JSON.stringify({ stateDir, instanceId })})
    const id = await rig.attack('cpu', { lengthSeconds: 600, percent: 30 })
    await rig.running(id)
    console.log(id)
    const { reason } = await rig.ended(id)
    console.log(reason)
    process.exit()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  parents.push(child)
  const id = await nextLine(child)
  return { child, marker: `temblor:${instanceId}:${id}`, stateDir }
}

async function nextLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  for await (const line of lines) return line
  throw new Error('The parent ended without a word.')
}

describe('cpu on this host', () => {
  it('burns the share that was asked for and measures it', async () => {
    const id = await rig.attack('cpu', { lengthSeconds: 5, percent: 30 })
    await rig.running(id)
    const [burner] = rig.burners(id)
    const [from, at] = [cpuSeconds(burner?.pid ?? 0) ?? 0, performance.now()]
    await elapse(4000)
    const cores = ((cpuSeconds(burner?.pid ?? 0) ?? 0) - from) / ((performance.now() - at) / 1000)
    const report = await rig.ended(id)
    expect(100 * cores - 30).toBeLessThan(3)
    expect(30 - 100 * cores).toBeLessThan(effectOf(report).tolerance)
    expect(report).toMatchObject({ reason: 'completed', backend: 'burner on the host' })
    expect(report.requested?.value).toBeCloseTo(30 / hostCores())
    expect(effectOf(report)).toMatchObject({ isAsAsked: true })
  })

  it('ends when its length is over, and its processes with it', async () => {
    const orderedAt = performance.now()
    const id = await rig.attack('cpu', { lengthSeconds: 1, percent: 5 })
    const running = await rig.running(id)
    const over = await rig.reached(id, ({ reason }) => reason !== undefined)
    expect(over.atMs - orderedAt).toBeGreaterThan(1000)
    expect(over.atMs - running.atMs).toBeLessThan(2000)
    expect(rig.burners(id)).toEqual([])
  })

  it('halts while it starts, twice at once, and leaves nothing', async () => {
    const id = await rig.attack('cpu', { lengthSeconds: 60 })
    rig.executor.halt(id, 2, '')
    rig.executor.halt(id, 2, '')
    expect(await rig.ended(id)).toMatchObject({ reason: 'halted' })
    const stages = rig.updates.filter((one) => one.executionId === id).map((one) => one.stage)
    expect(stages).toEqual([
      'Initializing',
      'InterruptTriggered',
      'RollbackTriggered',
      'RollbackStarted',
      'UserHalted',
    ])
    expect(rig.burners(id)).toEqual([])
  })

  it('halts in the moment in which the burner starts', async () => {
    const id = await rig.attack('cpu', { lengthSeconds: 60 })
    await until('the burner is there', () => rig.burners(id).length === 1, 15_000, 1)
    rig.executor.halt(id, 2, '')
    expect(await rig.ended(id)).toMatchObject({ reason: 'halted' })
    expect(rig.burners(id)).toEqual([])
  })

  it('never starts what was halted before it came', async () => {
    const executionId = randomUUID()
    const attackId = randomUUID()
    rig.executor.halt(executionId, 2, attackId)
    const params = { lengthSeconds: 5, cores: 1, allCores: false, percent: 5 }
    const order = { executionId, attackId, attackType: 'cpu', params, local: false }
    await rig.executor.run({ ...order, generation: 1 })
    expect(rig.executor.running).toEqual([])
    const seen = rig.updates.filter((one) => one.executionId === executionId)
    expect(seen.map((one) => one.stage)).toEqual(['UserHalted', 'UserHalted'])
  })

  it('runs an order once, however often it comes', async () => {
    const executionId = randomUUID()
    const params = { lengthSeconds: 1, cores: 1, allCores: false, percent: 5 }
    const common = { executionId, attackId: randomUUID(), attackType: 'cpu', params }
    const order = { ...common, generation: 1, local: false }
    await Promise.all([1, 2, 3].map(() => rig.executor.run(order)))
    await rig.running(executionId)
    expect(rig.burners(executionId)).toHaveLength(1)
    expect(await rig.ended(executionId)).toMatchObject({ reason: 'completed' })
    await rig.executor.run(order)
    expect(rig.executor.running).toEqual([])
  })

  it('reports a burner that somebody killed', async () => {
    const id = await rig.attack('cpu', { lengthSeconds: 60, percent: 5 })
    await rig.running(id)
    process.kill(rig.burners(id)[0]?.pid ?? 0, 'SIGKILL')
    expect(await rig.ended(id)).toMatchObject({ reason: 'fault_died' })
  })

  it.each([
    ['cpux', {}, 'invalid_argument'],
    ['cpu', { percent: 0 }, 'invalid_argument'],
    ['cpu', { percent: '50' }, 'invalid_argument'],
    ['cpu', { lengthSeconds: 1.5 }, 'invalid_argument'],
  ])('refuses %s with %j', async (attackType, change, reason) => {
    const executionId = randomUUID()
    const defaults = { lengthSeconds: 5, cores: 1, allCores: false, percent: 5 }
    await rig.executor.run({
      executionId,
      attackType,
      generation: 1,
      attackId: randomUUID(),
      params: { ...defaults, ...change },
      local: false,
    })
    expect(await rig.ended(executionId)).toMatchObject({ reason })
  })

  it('keeps to the limits of the owner', async () => {
    await using strict = await executorRig({ limits: { maxPercent: 20, maxLengthSeconds: 5 } })
    const tooMuch = await strict.attack('cpu', { percent: 21, lengthSeconds: 5 })
    expect(await strict.ended(tooMuch)).toMatchObject({ reason: 'forbidden_by_owner' })
    const tooLong = await strict.attack('cpu', { percent: 20, lengthSeconds: 6 })
    expect((await strict.ended(tooLong)).message).toContain('TEMBLOR_MAX_LENGTH_SECONDS')
  })
})

describe('when the agent', () => {
  it('is killed, the burner ends at once', async () => {
    const { child, marker } = await startParent()
    const [burner] = findByArgument(marker)
    child.kill('SIGKILL')
    expect(await until('the burner is gone', () => burner && !isAlive(burner), 2000, 5)).toBe(true)
  })

  it('is frozen, the burner ends within 15 s, and the agent says so when it wakes up', async () => {
    const { child, marker } = await startParent()
    const [burner] = findByArgument(marker)
    child.kill('SIGSTOP')
    await until('the burner is gone', () => burner && !isAlive(burner), 15_000)
    const reason = nextLine(child)
    child.kill('SIGCONT')
    expect(await reason).toBe('agent_frozen')
  })

  it('comes back, it takes back what its journal holds, and nothing else', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'temblor-replay-'))
    const [own, foreign, executionId] = [randomUUID(), randomUUID(), randomUUID()]
    const idle = (instance: string) =>
      spawn(process.execPath, [
        '-e',
        'setInterval(() => {}, 1e6)',
        `temblor:${instance}:${executionId}`,
      ])
    const [left, other] = [idle(own), idle(foreign)]
    const journal = new Journal(stateDir)
    const ids = { executionId, generation: 1, attackId: randomUUID() }
    const what = { attackType: 'cpu', params: {}, local: false, bootId: bootId() }
    journal.create({ ...ids, ...what, state: 'RECEIVED' })
    journal.update(executionId, {
      state: 'ACTIVE',
      undo: [{ marker: `temblor:${own}:${executionId}` }],
    })
    const gone = new Promise((resolve) => {
      left.once('exit', (_, signal) => resolve(signal))
    })
    await using restarted = await executorRig({ stateDir, instanceId: own })
    expect(await restarted.executor.replay()).toEqual([executionId])
    expect(await gone).toBe('SIGKILL')
    expect(identify(other.pid ?? 0)).toBeDefined()
    other.kill('SIGKILL')
    expect(restarted.updates).toMatchObject([
      { executionId, stage: 'ClientAborted', reason: 'agent_restarted' },
    ])
    expect(await restarted.executor.replay()).toEqual([])
  })
})
