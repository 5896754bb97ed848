import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { repository } from '../support/command.ts'
import { elapse, until } from '../support/until.ts'
import { executorIn, executorThrough, type NamespaceExecutor } from './executor-in-namespace.ts'
import { holdFile } from './held-file.ts'
import { measureIn, refuseLeftovers, rulesHoldUntil, stateOf, untilNear } from './latency-rig.ts'
import { namespacePair, type NamespacePair } from './namespace-pair.ts'

let pair: NamespacePair
let host: NamespaceExecutor
let measure: ReturnType<typeof measureIn>
let before: string
beforeAll(async () => {
  pair = await namespacePair()
  measure = measureIn(pair)
  await pair.start('near', 'serve').next()
  host = await executorIn(pair.path)
})
beforeEach(async () => {
  before = await stateOf(pair.path)
})
afterEach(async () => {
  await host.haltAll()
  await refuseLeftovers(pair.path, before, host.options.instanceId)
})
afterAll(async () => {
  await host?.[Symbol.asyncDispose]()
  await pair?.[Symbol.asyncDispose]()
})

const isDecided = ({ stage, reason }: { stage: string; reason?: string }) =>
  stage === 'Running' || reason !== undefined
const both = () => [pair.chosen, pair.chosen6]
const halt = async (id: string) => {
  host.halt(id)
  return host.ended(id)
}
const wasHalted = { reason: 'halted' }
const start = async (params: Parameters<NamespaceExecutor['attack']>[1]) => {
  const id = host.attack('latency', { lengthSeconds: 60, ...params })
  await host.running(id)
  return id
}

describe('latency of a host', () => {
  it.each([
    [1, 21],
    [10, 21],
    [100, 11],
    [1000, 2],
  ])('adds %i ms once to both families, seen from both ends', async (delayMs, count) => {
    const id = await start({ delayMs, addresses: both() })
    await untilNear(0, () => measure.connects(pair.untouched, count))
    await untilNear(0, () => measure.connectsFrom(pair.untouched, '10.99.0.1', count))
    await untilNear(delayMs, () => measure.connectsFrom(pair.chosen, '10.99.0.1', count))
    for (const address of both()) {
      await untilNear(delayMs, () => measure.connects(address, count))
      const echoed = async () => {
        const { lost, typicalMs } = await measure.echoes(address, count)
        expect(lost).toBe(0)
        return typicalMs
      }
      await untilNear(delayMs, echoed)
    }
    const { measured, backend } = await halt(id)
    expect(backend).toBe('NFQUEUE, what comes in by eth0')
    expect(measured).toMatchObject({ metric: 'added_delay', unit: 'ms' })
    // A few connections measured it, of which each waits when this machine is busy; packets do not.
    expect(Math.abs((measured?.value ?? 0) - delayMs)).toBeLessThan(40)
    expect(Math.abs((measured?.detail['held_ms'] ?? 0) - delayMs)).toBeLessThan(3)
    expect(measured?.detail['normal_ms']).toBeLessThan(40)
    expect(measured?.detail['dropped_packets']).toBe(0)
    expect(measured?.detail['delayed_packets']).toBeGreaterThan(count)
    await untilNear(0, () => measure.connects(pair.chosen))
  })

  it('loses none of 10,000 packets at 20,000 a second', async () => {
    const id = await start({ delayMs: 100, addresses: [pair.chosen] })
    const total = 10_000
    const counter = pair.start('near', 'count', total)
    await counter.next()
    await pair.start('far', 'send', '10.99.0.1', total, 20_000).next()
    await until('all came out of the delay', async () => (await pair.counted()) === total)
    expect(await counter.next()).toMatchObject({ reordered: 0 })
    const { measured } = await halt(id)
    expect(measured?.detail).toMatchObject({ dropped_packets: 0 })
    expect(measured?.detail['delayed_packets']).toBeGreaterThanOrEqual(total)
  })

  it('does not throttle TCP, whichever end sends', async () => {
    const flow = async (side: 'near' | 'far', address: string) =>
      ((await pair.start(side, 'pull', address, 1, 1).next()) as unknown as { megabits: number })
        .megabits
    const id = await start({ delayMs: 10, addresses: [pair.chosen] })
    // What a window of the kernel's standard size allows is 2 to 3 Gbit/s; throttled it was 5 Mbit/s.
    expect(await flow('near', pair.chosen)).toBeGreaterThan(150)
    expect(await flow('far', '10.99.0.1')).toBeGreaterThan(150)
    expect(await halt(id)).toMatchObject(wasHalted)
  })

  it('is in force for the whole of a short length', async () => {
    const lengthSeconds = 3
    const missingMs = async () => {
      const id = host.attack('latency', { lengthSeconds, delayMs: 50, addresses: [pair.chosen] })
      const overAtMs = host.happenedAt(await host.running(id)) + lengthSeconds * 1000
      const ending = host.ended(id)
      let heldUntilMs = 0
      for (let isOver = false; !isOver;) {
        heldUntilMs = Math.max(heldUntilMs, await rulesHoldUntil(pair.path))
        isOver = await Promise.race([ending.then(() => true), elapse(100).then(() => false)])
      }
      expect(await ending).toMatchObject({ reason: 'completed' })
      return Math.max(0, overAtMs - heldUntilMs)
    }
    await untilNear(0, missingMs, 200)
  })
})

/** Without it the delay queue does not begin; nobody else needs it. */
const partOfHelper = join(repository, 'agent/network/queue/packet-queue.ts')

describe('a helper that starts slowly', () => {
  it('neither ends the attack nor shortens it, and meanwhile packets pass', async () => {
    const [lengthSeconds, delayMs] = [3, 50]
    const [stateDir, instanceId] = [mkdtempSync(join(tmpdir(), 'temblor-slow-')), randomUUID()]
    await using held = await holdFile(partOfHelper)
    const namespaces = [`--net=${pair.path}`, ...held.namespaces]
    await using slow = await executorThrough(namespaces, { stateDir, instanceId })
    const id = slow.attack('latency', { lengthSeconds, delayMs, addresses: [pair.chosen] })
    await until('its helper is started', () => slow.helpers().length > 0)
    await until('its rules expired', async () => (await rulesHoldUntil(pair.path)) === 0)
    await untilNear(0, () => measure.connects(pair.chosen))
    expect(slow.updates).toHaveLength(1)
    await held.release()
    const running = await slow.running(id)
    expect(await rulesHoldUntil(pair.path)).toBeGreaterThan(slow.happenedAt(running))
    expect(await measure.connects(pair.chosen)).toBeGreaterThan(delayMs - 3)
    const { reason, measured, atMs } = await slow.ended(id)
    expect(reason).toBe('completed')
    expect(atMs - running.atMs).toBeGreaterThan(lengthSeconds * 1000 - 500)
    expect(measured?.detail['delayed_packets']).toBeGreaterThan(0)
  })
})

describe('two attacks on one device', () => {
  it('are independent when they choose other traffic, and end alone', async () => {
    const first = await start({ delayMs: 40, addresses: [pair.chosen] })
    const second = await start({ delayMs: 80, addresses: [pair.untouched] })
    await untilNear(40, () => measure.connects(pair.chosen))
    await untilNear(80, () => measure.connects(pair.untouched))
    await halt(first)
    await untilNear(0, () => measure.connects(pair.chosen))
    await untilNear(80, () => measure.connects(pair.untouched))
    expect(await halt(second)).toMatchObject(wasHalted)
  })

  it('of which one chooses ports and the other ICMP do not overlap', async () => {
    const first = await start({ delayMs: 40, remotePorts: ['9001'] })
    const second = await start({ delayMs: 40, protocols: ['ICMP'] })
    await halt(second)
    expect(await halt(first)).toMatchObject(wasHalted)
  })

  it('that overlap: the second is refused and names the first, and nothing is touched', async () => {
    const attackId = '5b2f1c86-0000-4000-8000-000000000001'
    const first = host.attack('latency', { delayMs: 40, addresses: ['10.99.0.0/24'] }, attackId)
    await host.running(first)
    const during = await stateOf(pair.path)
    const second = host.attack('latency', { delayMs: 80, addresses: [pair.chosen] })
    const report = await host.ended(second)
    expect(report).toMatchObject({ reason: 'unsupported', stage: 'InitializationFailed' })
    expect(report.message).toContain(attackId)
    expect(await stateOf(pair.path)).toBe(during)
    const stages = host.updates.filter((one) => one.executionId === second).map((one) => one.stage)
    expect(stages).toEqual(['Initializing', 'InitializationFailed'])
    await untilNear(40, () => measure.connects(pair.chosen))
    expect(await halt(first)).toMatchObject(wasHalted)
  })

  it('that overlap and start at the same moment: one is refused', async () => {
    const ids = [1, 2, 3].map(() => host.attack('latency', { addresses: [pair.chosen] }))
    const seen = await Promise.all(ids.map((id) => host.reached(id, isDecided)))
    expect(seen.filter(({ stage }) => stage === 'Running')).toHaveLength(1)
    await untilNear(100, () => measure.connects(pair.chosen))
    for (const { executionId, stage } of seen) if (stage === 'Running') await halt(executionId)
  })

  it('of which one is a blackhole may meet: it wins, and leaves the delay when it is over', async () => {
    const delay = await start({ delayMs: 40, addresses: [pair.chosen] })
    const hole = host.attack('blackhole', { addresses: [pair.chosen], lengthSeconds: 60 })
    await host.running(hole)
    expect((await measure.echoes(pair.chosen)).lost).toBe(9)
    expect(await halt(hole)).toMatchObject({ message: 'Halted.' })
    await untilNear(40, () => measure.connects(pair.chosen))
    expect(await halt(delay)).toMatchObject(wasHalted)
  })
})

describe('what is measured', () => {
  it('comes from the packets themselves when nobody answers probes', async () => {
    await untilNear(60, async () => {
      const id = await start({ delayMs: 60, addresses: [pair.chosen], protocols: ['UDP'] })
      await measure.echoes(pair.chosen, 30)
      const { measured, message } = await halt(id)
      expect(message).toBe('Halted.')
      expect(measured?.detail).toMatchObject({ delayed_packets: 30, dropped_packets: 0 })
      return measured?.value ?? 0
    })
  })

  it.each(['latency', 'blackhole'] as const)(
    'of %s is nothing when no packet came, and the report says so',
    async (type) => {
      const id = host.attack(type, { lengthSeconds: 1, addresses: ['10.99.0.77'] })
      const { reason, message, measured } = await host.ended(id)
      expect(measured).toBeUndefined()
      expect({ reason, message }).toEqual({
        reason: 'completed',
        message: 'Ended after its length. No packet of the chosen traffic was seen.',
      })
    },
  )
})
