import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openHosts } from '../../controller/store/hosts.ts'
import { keys } from '../../controller/store/keys.ts'
import { openRetention } from '../../controller/store/retention.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { leaseMs, targetingRig } from '../support/targeting-rig.ts'

/** None falls silent by itself, however slow the machine is. */
const longLeaseMs = 600_000

let test: TestRedis
let rig: ReturnType<typeof targetingRig>
beforeAll(async () => {
  test = await startTestRedis()
})
afterAll(() => test[Symbol.asyncDispose]())
beforeEach(() => {
  rig = targetingRig(test.redis)
})

async function drawn(tags: Record<string, string>, more: object = {}): Promise<string[]> {
  const result = await rig.create({ tags, ...more })
  if (result.kind === 'created') return result.hosts.toSorted()
  if (result.kind === 'none' || result.kind === 'few') return [result.kind]
  throw new Error(JSON.stringify(result))
}

/**
 * Chi-square of how often each of so many was drawn, as a share of what three fair runs in a million are beyond
 * (by the approximation of Wilson and Hilferty).
 */
function unevenness(counts: readonly number[], size: number): number {
  const draws = counts.reduce((sum, n) => sum + n, 0)
  const expected = draws / size
  const seen = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
  const chiSquare = seen + (size - counts.length) * expected
  const spread = 2 / (9 * (size - 1))
  return chiSquare / ((size - 1) * (1 - spread + 4.5 * Math.sqrt(spread)) ** 3)
}

/** Gives many hosts the tags of `tagsOf`, by the script itself and all at once. */
async function claimMany(count: number, tagsOf: (i: number) => Record<string, string>) {
  await Promise.all(
    Array.from({ length: count }, (_, i) =>
      rig.claim(`h${i}`, tagsOf(i), [], `h${i}`, longLeaseMs),
    ),
  )
}

const slotOf = (identifier: string) =>
  test.redis.hget(`${keys.hostIndex(rig.teamId)}:of`, identifier)

const tagsOf = (i: number) => ({
  all: 'yes',
  half: String(i % 2),
  tenth: String(i % 10),
  third: String(i % 3),
  own: String(i),
})

describe('the index of hosts', () => {
  it('draws those that carry the tags, by few and by many, and no others', async () => {
    await claimMany(600, tagsOf)
    const type = (name: string) => test.redis.type(`${keys.hostIndex(rig.teamId)}:tag:${name}`)
    expect([await type('4:half=1'), await type('5:tenth=1')]).toEqual(['string', 'set'])
    const selectors: Record<string, string[]>[] = [
      { half: ['1'] },
      { half: ['1'], all: ['yes'] },
      { tenth: ['3'] },
      { tenth: ['3', '5'] },
      { tenth: ['3', '5'], third: ['0', '2'] },
      { tenth: ['3'], third: ['1'] },
      { half: ['0', '1'], own: ['7'] },
      { half: ['0'], tenth: ['1', '2', '4'] },
      { half: ['0'], tenth: ['1'] },
      { third: ['1'], own: ['1', '2', '4', 'no'] },
      { all: ['yes'], missing: ['x'] },
      { half: ['0', 'no'], all: ['yes'], own: ['30', '31'] },
      { tenth: ['0', '1', '2', '3', '4', '5'], half: ['1', '2'] },
    ]
    for (const multiSelectTags of selectors) {
      const matching = Array.from({ length: 600 }, (_, i) => i).filter((i) =>
        Object.entries(multiSelectTags).every(([key, values]) =>
          values.includes(tagsOf(i)[key as 'all'] ?? ''),
        ),
      )
      const allowed = matching.length > 0 ? matching.map((i) => `h${i}`).toSorted() : ['none']
      expect(allowed).toContain((await drawn({}, { multiSelectTags }))[0])
      const exact = Math.min(allowed.length, randomInt(2, 20))
      const some = await drawn({}, { multiSelectTags, exact })
      expect(new Set(some).size).toBe(exact)
      expect(allowed).toEqual(expect.arrayContaining(some))
      expect(await drawn({}, { multiSelectTags, percent: 100 })).toEqual(allowed)
    }
    // Nothing of a draw is left.
    expect(await test.redis.keys(`${keys.hostIndex(rig.teamId)}:draw*`)).toEqual([])
  })

  it('draws evenly from a bitmap, from a few and from where both meet', async () => {
    // `low` and `high` are bitmaps that have 14 hosts in common, side by side: most of these draws join them.
    await claimMany(600, (i) => ({
      few: String(i % 30),
      half: String(i % 2),
      ...(i < 307 ? { low: 'yes' } : {}),
      ...(i >= 293 ? { high: 'yes' } : {}),
    }))
    const draws = 1_500
    for (const [tags, size] of [
      [{ few: '1' }, 20],
      [{ few: '1', half: '1', low: 'yes' }, 11],
      [{ half: '1' }, 300],
      [{ low: 'yes', high: 'yes' }, 14],
      [{}, 600],
    ] as const) {
      const counts = new Map<string, number>()
      for (let i = 0; i < draws; i += 100)
        for (const [host = ''] of await Promise.all(Array.from({ length: 100 }, () => drawn(tags))))
          counts.set(host, (counts.get(host) ?? 0) + 1)
      expect(unevenness([...counts.values()], size)).toBeLessThan(1)
    }
  })

  it('leaves nothing of a draw behind, in memory or on disk, and still writes the attack', async () => {
    await claimMany(600, (i) => (i < 307 ? { low: 'yes' } : { high: 'yes' }))
    const written = async () =>
      /aof_current_size:(\d+)/.exec(await test.redis.info('persistence'))?.[1]
    // The first one notes that the team is busy.
    expect(await drawn({ low: 'no' })).toEqual(['none'])
    const before = await written()
    expect(await drawn({ low: 'yes', high: 'yes' })).toEqual(['none'])
    expect(await written()).toBe(before)
    // The bitmaps are joined for several as well.
    expect(await drawn({ low: 'yes' }, { exact: 2 })).toHaveLength(2)
    const [, dir = ''] = (await test.redis.config('GET', 'dir')) as string[]
    const parts = join(dir, 'appendonlydir')
    const file = readdirSync(parts)
      .filter((name) => name.endsWith('.incr.aof'))
      .map((name) => readFileSync(join(parts, name), 'utf8'))
      .join('')
    expect(file).not.toContain(':draw')
    for (const attackId of await test.redis.zrange(keys.attacks(rig.teamId), '0', '-1'))
      expect(file).toContain(keys.attack(rig.teamId, attackId))
    expect(await test.redis.zcard(keys.attacks(rig.teamId))).toBe(1)
    expect(await test.redis.keys(`${keys.hostIndex(rig.teamId)}:draw*`)).toEqual([])
  })

  it('would be seen to draw unevenly', () => {
    const counts = Array.from({ length: 300 }, () => 0)
    for (let i = 0; i < 1_500; i += 1) counts[Math.floor(300 * Math.random() ** 1.5)]! += 1
    expect(unevenness(counts, 300)).toBeGreaterThan(1)
  })

  it('knows a lease to the millisecond', async () => {
    await rig.claim('h1', { a: 'b' })
    const live = keys.liveHosts(rig.teamId)
    const [seconds, micros] = await test.redis.time()
    const nowMs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
    await test.redis.zadd(live, nowMs + 60_000, 'h1')
    expect(await drawn({ a: 'b' })).toEqual(['h1'])
    // At the very millisecond of its end it is over.
    await test.redis.eval(
      "local t = redis.call('TIME') redis.call('ZADD', KEYS[1], t[1] * 1000 + math.floor(t[2] / 1000), 'h1')",
      1,
      live,
    )
    expect(await drawn({ a: 'b' })).toEqual(['none'])
    // It was taken out; a heartbeat of its session brings it back.
    const beat = { identifier: 'h1', epoch: 1, leaseMs }
    expect(await openHosts(test.redis).refresh(rig.teamId, [beat])).toMatchObject([{ kind: 'ok' }])
    expect(await drawn({ a: 'b' })).toEqual(['h1'])
  })

  it('finds a host under the tags that it said last', async () => {
    await rig.claim('h1', { zone: 'a', role: 'web' })
    await rig.claim('h2', { zone: 'a' })
    expect(await drawn({ zone: 'a', role: 'web' })).toEqual(['h1'])
    const inventory = {
      tags: { zone: 'b' },
      containers: [],
      capabilities: [],
      limits: null,
      facts: null,
    }
    await openHosts(test.redis).refresh(rig.teamId, [
      { identifier: 'h1', epoch: 1, leaseMs, inventory },
    ])
    expect(await drawn({ zone: 'b' })).toEqual(['h1'])
    expect(await drawn({ zone: 'a' }, { percent: 100 })).toEqual(['h2'])
    expect(await drawn({ role: 'web' })).toEqual(['none'])
    await rig.claim('h1', { zone: 'a' })
    expect(await drawn({ zone: 'a' }, { percent: 100 })).toEqual(['h1', 'h2'])
    expect(await drawn({ zone: 'b' })).toEqual(['none'])
  })

  it('gives the slot of a host long gone to another, and never the host its attacks', async () => {
    const hosts = openHosts(test.redis)
    await rig.claim('old', { tag: 'old' })
    await rig.claim('stays', { tag: 'stays' })
    await hosts.release(rig.teamId, 'old', 1)
    const slot = (await slotOf('old')) ?? ''
    // Within a day it keeps its slot.
    await rig.claim('early', { tag: 'early' })
    expect(await slotOf('early')).not.toBe(slot)
    await test.redis.zincrby(`${keys.hostIndex(rig.teamId)}:idle`, -24 * 3_600_000 - 1, slot)
    await rig.claim('new', { tag: 'new' })
    expect([await slotOf('new'), await slotOf('old')]).toEqual([slot, null])
    expect(await drawn({ tag: 'new' })).toEqual(['new'])
    expect(await drawn({ tag: 'old' })).toEqual(['none'])
    expect(await drawn({}, { percent: 100 })).toEqual(['early', 'new', 'stays'])
    // A late heartbeat of the former owner does not touch it; the host registers again.
    const late = { identifier: 'old', epoch: 1, leaseMs }
    expect(await hosts.refresh(rig.teamId, [late])).toEqual([{ kind: 'forgotten' }])
    expect(await drawn({}, { percent: 100 })).toEqual(['early', 'new', 'stays'])
    await rig.claim('old', { tag: 'old' })
    expect(await drawn({ tag: 'old' })).toEqual(['old'])
    expect(await drawn({ tag: 'new' })).toEqual(['new'])
  })

  it('has no slots for hosts that were forgotten, but those between others', async () => {
    await claimMany(300, (i) => ({ all: 'yes', own: String(i) }))
    const retention = openRetention(test.redis)
    const index = keys.hostIndex(rig.teamId)
    const slot = Number(await slotOf('h7'))
    for (let i = 0; i < 300; i += 1)
      if (i !== 7) await openHosts(test.redis).release(rig.teamId, `h${i}`, 1)
    const all = Array.from({ length: 300 }, (_, i) => `h${i}`)
    for (let at = 0; at < 300; at += 50)
      await retention.forgetHosts(rig.teamId, all.slice(at, at + 50), -1_000)
    expect(await test.redis.smembers(keys.hosts(rig.teamId))).toEqual(['h7'])
    // It is as bounded as all that a script does: what is left goes with the next one.
    await retention.forgetHosts(rig.teamId, ['h7'], -1_000)
    expect(await test.redis.hvals(`${index}:of`)).toEqual([String(slot)])
    expect(await test.redis.hlen(index)).toBe(slot + 1)
    expect(await test.redis.hlen(`${index}:tags`)).toBe(slot + 1)
    expect(await test.redis.zcard(`${index}:idle`)).toBe(slot)
    expect(await test.redis.keys(`${index}:tag:*own=*`)).toEqual([`${index}:tag:3:own=7`])
    expect(await drawn({}, { percent: 100 })).toEqual(['h7'])
    await claimMany(20, (i) => ({ all: 'yes', own: String(i) }))
    expect(await test.redis.hlen(index)).toBe(20)
    expect(await drawn({}, { percent: 100 })).toEqual(all.slice(0, 20).toSorted())
    for (let i = 0; i < 20; i += 1) expect(await drawn({ own: String(i) })).toEqual([`h${i}`])
  })

  it('never draws a revoked host, nor one that holds a controller', async () => {
    await claimMany(20, () => ({ all: 'yes' }))
    const hosts = openHosts(test.redis)
    for (let i = 0; i < 18; i += 1) await hosts.revoke(rig.teamId, `h${i}`)
    expect(await drawn({}, { percent: 100 })).toEqual(['h18', 'h19'])
    const spared = { sparedBootIds: ['boot of h18'] }
    for (let i = 0; i < 20; i += 1)
      expect(await rig.create({}, undefined, spared)).toMatchObject({ hosts: ['h19'] })
    expect(await rig.create({ exact: 2 }, undefined, spared)).toEqual({
      kind: 'few',
      matching: 1,
      asked: 2,
    })
    expect(await rig.create({ percent: 100 }, undefined, spared)).toMatchObject({ hosts: ['h19'] })
    const both = { sparedBootIds: ['boot of h18', 'boot of h19'] }
    expect(await rig.create({}, undefined, both)).toMatchObject({
      kind: 'none',
      controllerHosts: 2,
    })
    await hosts.activate(rig.teamId, 'h0')
    await rig.claim('h0', { all: 'yes' })
    expect(await drawn({}, { percent: 100 })).toEqual(['h0', 'h18', 'h19'])
  })

  it('turns over when a tag becomes common and rare again', async () => {
    await claimMany(300, () => ({ common: 'yes' }))
    const name = `${keys.hostIndex(rig.teamId)}:tag:6:common=yes`
    expect(await test.redis.type(name)).toBe('string')
    await claimMany(180, () => ({}))
    expect(await test.redis.type(name)).toBe('set')
    expect(await test.redis.scard(name)).toBe(120)
    for (let i = 0; i < 20; i += 1)
      expect(Number((await drawn({ common: 'yes' }))[0]?.slice(1))).toBeGreaterThanOrEqual(180)
  })

  it('takes out any number of hosts whose lease is over', async () => {
    await claimMany(500, () => ({ all: 'yes' }))
    await test.redis.eval(
      "for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do if id ~= 'h7' then redis.call('ZADD', KEYS[1], 1, id) end end",
      1,
      keys.liveHosts(rig.teamId),
    )
    expect(await drawn({ all: 'yes' })).toEqual(['h7'])
    expect(await test.redis.zcard(keys.liveHosts(rig.teamId))).toBe(1)
  })

  it('is made from the records of a version that kept none', async () => {
    await claimMany(30, (i) => ({ zone: i < 3 ? 'a' : 'b' }))
    const names = await test.redis.keys(`${keys.hostIndex(rig.teamId)}*`)
    expect(names.length).toBeGreaterThan(3)
    await test.redis.del(names)
    expect(await drawn({ zone: 'a' }, { percent: 100 })).toEqual(['h0', 'h1', 'h2'])
    for (let i = 0; i < 10; i += 1)
      expect(['h0', 'h1', 'h2']).toContain((await drawn({ zone: 'a' }))[0])
    const [sizes] = [await test.redis.bitcount(`${keys.hostIndex(rig.teamId)}:up`)]
    expect(sizes).toBe(30)
  })
})
