import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { identify } from '../../agent/host/processes.ts'
import { programPath } from '../../agent/host/program.ts'
import type { DelayOrder } from '../../agent/network/queue/delay-queue.ts'
import {
  spawnDelayQueue,
  type DelayQueueProcess,
} from '../../agent/network/queue/delay-queue-process.ts'
import { until } from '../support/until.ts'
import { typical, untilNear } from './latency-rig.ts'
import { namespacePair, type NamespacePair } from './namespace-pair.ts'

const delayMs = 100
let pair: NamespacePair
let started: DelayQueueProcess[] = []
beforeEach(async () => {
  pair = await namespacePair()
})
afterEach(async () => {
  for (const queue of started) await queue.stop()
  started = []
  await pair[Symbol.asyncDispose]()
})

function orderWith(changes: Partial<DelayOrder> = {}): DelayOrder {
  return {
    queueNumber: 61_000,
    delayMs,
    lengthMs: 60_000,
    silenceMs: 10_000,
    maxPackets: 100_000,
    rule: { table: pair.table, chain: 'delay' },
    target: null,
    ...changes,
  }
}

async function start(changes: Partial<DelayOrder> = {}): Promise<DelayQueueProcess> {
  const queue = await spawnDelayQueue(`temblor:test:${randomUUID()}`, orderWith(changes), {
    namespacePath: pair.path,
    signal: new AbortController().signal,
  })
  started.push(queue)
  return queue
}

/** A delay queue without an agent, so that the test decides what it hears. */
async function startAlone(changes: Partial<DelayOrder> = {}) {
  const args = [programPath('delay-queue'), 'alone', JSON.stringify(orderWith(changes))]
  const child = spawn('nsenter', [`--net=${pair.path}`, '--', process.execPath, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const said: string[] = []
  const lines = createInterface({ input: child.stdout }).on('line', (line) => said.push(line))
  await once(lines, 'line')
  return { stdin: child.stdin, said, gone: once(child, 'close') }
}

interface Seen {
  readonly sent: number
  readonly times: number[]
}

const connects = async (address: string, count = 11) =>
  typical((await pair.see<Seen>('connect', address, count)).times)
const echoes = (address: string, count: number, everyMs: number) =>
  pair.see<Seen>('echo', address, count, everyMs)

describe('a delay queue', () => {
  it('adds its delay once to TCP and UDP of both families, and not to other traffic', async () => {
    const queue = await start()
    for (const address of [pair.chosen, pair.chosen6]) {
      await untilNear(delayMs, () => connects(address))
      await untilNear(delayMs, async () => {
        const { sent, times } = await echoes(address, 50, 10)
        expect(times.length).toBe(sent)
        return typical(times)
      })
    }
    await untilNear(0, () => connects(pair.untouched))
    await queue.stop()
    const stats = queue.stats()
    expect(stats).toMatchObject({ dropped: 0, backlog: 0 })
    expect(Math.abs((stats?.wholeHeldMs?.p50 ?? 0) - delayMs)).toBeLessThan(1)
    await untilNear(0, () => connects(pair.chosen))
  })

  it('loses and reorders none of 10,000 packets at 20,000 a second', async () => {
    const total = 10_000
    const flood = async () => {
      const queue = await start()
      const before = await pair.counted()
      const counter = pair.start('near', 'count', total)
      await counter.next()
      await pair.start('far', 'send', '10.99.0.1', total, 20_000).next()
      const isAllOut = async () => (await pair.counted()) - before === total
      await until('all came out of the delay', isAllOut)
      expect(await counter.next()).toMatchObject({ reordered: 0 })
      await queue.stop()
      const { dropped, packets, wholeHeldMs } = queue.stats() ?? {}
      expect(dropped).toBe(0)
      expect(packets).toBeGreaterThanOrEqual(total)
      expect(wholeHeldMs?.p50).toBeGreaterThan(delayMs)
      return wholeHeldMs?.p50 ?? NaN
    }
    // Sender and receiver keep the processors busy, so that some packets go late; none goes early.
    await untilNear(delayMs, flood, 20)
  })

  it('says which queue number is taken', async () => {
    await start()
    await expect(start()).rejects.toThrow(/packet queue 61000 is in use by another process/)
  })

  it('says which chain is missing, and leaves nothing behind', async () => {
    const before = await pair.listTable()
    const rule = { table: pair.table, chain: 'missing' }
    await expect(start({ rule })).rejects.toThrow(/chain missing: ENOENT/)
    expect(await pair.listTable()).toBe(before)
    await start()
  })

  it('is refused and gone when it was halted while it started', async () => {
    const signal = AbortSignal.abort()
    const options = { namespacePath: pair.path, signal }
    await expect(spawnDelayQueue('temblor:test:halted', orderWith(), options)).rejects.toThrow(
      'Halted while it started.',
    )
  })
})

describe('traffic heals', () => {
  it('at the deadline, when everything that is held goes at once', async () => {
    const lengthMs = 2500
    const queue = await start({ delayMs: 60_000, lengthMs })
    const { sent, times } = await echoes(pair.chosen, 50, 10)
    expect(times.length).toBe(sent)
    expect(times.at(-1)).toBeLessThan(lengthMs + 1000)
    expect(await queue.died).toMatchObject({ cause: 'deadline' })
    expect(queue.stats()).toMatchObject({ packets: sent, dropped: 0 })
    expect(await connects(pair.chosen)).toBeLessThan(5)
  })

  it('when it is stopped, and nothing held is lost', async () => {
    const queue = await start({ delayMs: 60_000 })
    const seen = echoes(pair.chosen, 100, 10)
    await until('some are held', () => (queue.stats()?.backlog ?? 0) > 20)
    await queue.stop()
    expect((await seen).times.length).toBe(100)
    expect(await connects(pair.chosen)).toBeLessThan(5)
  })

  it('when it is killed', async () => {
    const queue = await start()
    expect(await connects(pair.chosen, 1)).toBeGreaterThan(delayMs - 3)
    process.kill(queue.pid, 'SIGKILL')
    expect(await queue.died).toMatchObject({ cause: 'crash' })
    expect(await connects(pair.chosen)).toBeLessThan(5)
  })

  it('when it is frozen: its agent kills it', async () => {
    const queue = await start()
    process.kill(queue.pid, 'SIGSTOP')
    const death = await queue.died
    expect(death.cause).toBe('crash')
    expect(death.message).toMatch(/said nothing for 3000 ms and was killed/)
    expect(await connects(pair.chosen)).toBeLessThan(5)
  })

  it('when its agent is gone', async () => {
    const alone = await startAlone()
    expect(await connects(pair.chosen, 1)).toBeGreaterThan(delayMs - 3)
    alone.stdin.end()
    await alone.gone
    expect(await connects(pair.chosen)).toBeLessThan(5)
  })

  it('when its agent is silent', async () => {
    const [silenceMs, begunAt] = [700, performance.now()]
    const alone = await startAlone({ silenceMs })
    const readyAt = performance.now()
    await alone.gone
    expect(performance.now() - begunAt).toBeGreaterThan(silenceMs)
    expect(performance.now() - readyAt).toBeLessThan(5000)
    expect(alone.said.at(-1)).toBe('{"ended":"silence"}')
    expect(await connects(pair.chosen)).toBeLessThan(5)
  })

  it('when its target is gone', async () => {
    const target = pair.start('near', 'serve')
    await target.next()
    const queue = await start({ target: identify(target.child.pid ?? 0) ?? null })
    target.child.kill('SIGKILL')
    expect(await queue.died).toMatchObject({ cause: 'target' })
    expect(await connects(pair.chosen)).toBeLessThan(5)
  })
})
