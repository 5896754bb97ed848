import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openAttacks } from '../../controller/store/attacks.ts'
import { openHosts } from '../../controller/store/hosts.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { targetingRig, type Sent } from '../support/targeting-rig.ts'

const web = (id: string, more: Record<string, string> = {}) => ({
  id,
  labels: { app: 'web', ...more },
})

describe('the forms of targets', () => {
  let test: TestRedis
  let rig: ReturnType<typeof targetingRig>
  beforeAll(async () => {
    test = await startTestRedis()
  })
  afterAll(() => test[Symbol.asyncDispose]())
  beforeEach(() => {
    rig = targetingRig(test.redis)
  })

  it('draws as many hosts as were asked for, all different', async () => {
    for (let i = 0; i < 10; i += 1) await rig.claim(`h${i}`)
    for (const [sent, size] of [
      [{ hosts: 'all', exact: 4 }, 4],
      [{ hosts: 'all', exact: '3' }, 3],
      [{ hosts: 'all', percent: 25 }, 3],
      [{ percent: 100 }, 10],
      [{ percent: 1 }, 1],
    ] as const) {
      const hosts = (await rig.created(sent)).map((row) => row.host)
      expect(new Set(hosts).size).toBe(size)
      expect(hosts).toHaveLength(size)
    }
    expect(await rig.create({ exact: 11 })).toEqual({ kind: 'few', matching: 10, asked: 11 })
  })

  it('reads alternatives within a key and all keys of a selector', async () => {
    await rig.claim('a', { zone: 'a', role: 'web' })
    await rig.claim('b', { zone: 'b', role: 'web' })
    await rig.claim('c', { zone: 'c', role: 'web' })
    await rig.claim('d', { zone: 'a', role: 'db' })
    const multiSelectTags = { zone: ['a', 'b'], role: ['web'] }
    const rows = await rig.created({ hosts: { multiSelectTags }, percent: 100 })
    expect(rows.map((row) => row.host).sort()).toEqual(['a', 'b'])
  })

  it('takes the ids of hosts in every form that clients send', async () => {
    await rig.claim('h1')
    await rig.claim('h2')
    for (const sent of [
      { type: 'Exact', exact: ['h1', 'h2'] },
      { type: 'Exact', hosts: { ids: ['h1', 'h2'] } },
      { type: 'Exact', exact: '1', hosts: { ids: ['h1', 'h2'] } },
    ])
      expect((await rig.created(sent)).map((row) => row.host).sort()).toEqual(['h1', 'h2'])
  })

  it('draws containers by count and percent, and takes named ones or none', async () => {
    await rig.claim('h1', {}, [web('c1'), web('c2'), web('c3', { 'temblor.protect': 'true' })])
    await rig.claim('h2', {}, [web('c4'), web('c5'), { id: 'db', labels: { app: 'db' } }])
    const labels = { app: ['web'] }
    const ids = async (sent: Sent) =>
      (await rig.created(sent)).map((row) => String(row.containerId)).sort()
    expect(await ids({ containers: { multiSelectLabels: labels }, percent: 100 })).toEqual([
      'c1',
      'c2',
      'c4',
      'c5',
    ])
    expect(await ids({ containers: { labels: { app: 'web' } }, exact: 3 })).toHaveLength(3)
    expect(await ids({ containers: 'all', percent: 100 })).toHaveLength(5)
    expect(await ids({ type: 'Exact', containers: { ids: ['c2', 'db'] } })).toEqual(['c2', 'db'])
    expect(await rig.create({ type: 'Exact', containers: { ids: ['c2', 'nope'] } })).toEqual({
      kind: 'missing',
      ids: ['nope'],
    })
    expect(await rig.create({ type: 'Exact', containers: { ids: ['c3'] } })).toEqual({
      kind: 'missing',
      ids: ['c3'],
    })
  })

  it('hits all matching containers of one host when no number is given', async () => {
    await rig.claim('h1', {}, [web('c1'), web('c2')])
    expect(await rig.created({ containers: { labels: { app: 'web' } } })).toHaveLength(2)
  })

  it('answers the same attack for the same key and body, and refuses another body', async () => {
    await rig.claim('h1')
    const key = { key: 'release-7', bodyHash: 'a' }
    const first = await rig.create({}, key)
    if (first.kind !== 'created') throw new Error(first.kind)
    expect(await rig.create({}, key)).toEqual({ kind: 'repeated', attackId: first.attackId })
    expect(await rig.create({}, { ...key, bodyHash: 'b' })).toEqual({ kind: 'conflict' })
    expect(await openAttacks(test.redis).list(rig.teamId, {}, 10)).toHaveLength(1)
    const racing = { key: 'race', bodyHash: 'a' }
    const results = await Promise.all(Array.from({ length: 20 }, () => rig.create({}, racing)))
    expect(results.filter((result) => result.kind === 'created')).toHaveLength(1)
  })

  it('previews with the same rule, says who is out and why, and writes nothing', async () => {
    await rig.claim('h1', { zone: 'a' }, [web('c1'), web('c2', { 'temblor.protect': 'true' })])
    await rig.claim('h2', { zone: 'b' }, [])
    await rig.claim('h3', { zone: 'a' }, [])
    await rig.claim('stale', { zone: 'a' }, [], 'stale', 1)
    await openHosts(test.redis).revoke(rig.teamId, 'h3')
    const before = (await test.redis.keys('*')).sort()
    const found = await rig.preview({
      hosts: { ids: ['h1', 'h2', 'h3', 'stale'] },
      tags: { zone: 'a' },
      labels: { app: 'web' },
    })
    expect((await test.redis.keys('*')).sort()).toEqual(before)
    expect(found.rows).toEqual([{ host: 'h1', container: 'c1', name: 'c1' }])
    expect(found.missing).toEqual(['h3', 'stale'])
    expect(found.out).toEqual([
      { host: 'h2', reason: 'tags' },
      { host: 'h3', reason: 'revoked' },
      { host: 'stale', reason: 'silent' },
      { host: 'h1', container: 'c2', name: 'c2', reason: 'protected' },
    ])
    const drawn = await rig.preview({ percent: 50 })
    expect(drawn).toMatchObject({ drawn: 1, units: 2 })
  })

  it('lists by state and page, the newest first', async () => {
    await rig.claim('h1')
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1) {
      const result = await rig.create({})
      if (result.kind === 'created') ids.unshift(result.attackId)
    }
    const attacks = openAttacks(test.redis)
    const all = (await attacks.list(rig.teamId, {}, 1_000)) ?? []
    const order = all.map((one) => one.id)
    expect([...order].sort()).toEqual([...ids].sort())
    const first = (await attacks.list(rig.teamId, {}, 2)) ?? []
    const next = (await attacks.list(rig.teamId, {}, 3, first[1]?.id)) ?? []
    expect([...first, ...next].map((one) => one.id)).toEqual(order)
    expect(await attacks.list(rig.teamId, {}, 2, randomUUID())).toBeUndefined()
    expect(await attacks.list(rig.teamId, { state: 'completed' }, 10)).toEqual([])
    expect(await attacks.list(rig.teamId, { state: 'active' }, 10)).toHaveLength(5)
    const middle = all[2]?.createdMs ?? 0
    const range = (await attacks.list(rig.teamId, { fromMs: middle, toMs: middle }, 10)) ?? []
    expect(range.every((one) => one.createdMs === middle)).toBe(true)
    expect(range.length).toBeGreaterThan(0)
  })
})
