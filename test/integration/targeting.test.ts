import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Inventory__Output } from '../../proto/gen/temblor/agent/v1/Inventory.ts'
import type { NewAttack } from '../../controller/store/attack-record.ts'
import { openAttacks } from '../../controller/store/attacks.ts'
import { openExecutions } from '../../controller/store/executions.ts'
import { openHosts, type ClaimResult } from '../../controller/store/hosts.ts'
import { keys } from '../../controller/store/keys.ts'
import { readTarget } from '../../shared/targets.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

const leaseMs = 15_000

type TestContainer = Partial<Inventory__Output['containers'][number]> & { id: string }

function inventory(
  tags: Record<string, string>,
  containers: readonly TestContainer[],
): Inventory__Output {
  return {
    tags,
    containers: containers.map((container) => ({
      name: container.id,
      image: 'test',
      state: 'running',
      labels: {},
      protected: false,
      ...container,
    })),
    capabilities: [],
    limits: null,
    facts: null,
  }
}

describe('targeting', () => {
  let test: TestRedis
  let teamId = ''
  beforeAll(async () => {
    test = await startTestRedis()
  })
  afterAll(() => test[Symbol.asyncDispose]())
  beforeEach(() => {
    teamId = randomUUID()
  })

  const claim = (
    identifier: string,
    tags: Record<string, string> = {},
    containers: readonly TestContainer[] = [],
    instanceId: string = identifier,
    lease = leaseMs,
  ): Promise<ClaimResult> =>
    openHosts(test.redis).claim(
      teamId,
      {
        identifier,
        instanceId,
        bootId: `boot of ${instanceId}`,
        version: '1',
        address: '10.0.0.1:5',
        inventory: inventory(tags, containers),
      },
      lease,
    )

  /** A target as a client sends it; `labels` stands beside it in the body. */
  interface Sent {
    readonly labels?: Record<string, string>
    readonly [key: string]: unknown
  }
  const attack = (
    { labels, ...body }: Sent,
    idempotency?: NewAttack['idempotency'],
  ): NewAttack => ({
    teamId,
    type: 'cpu',
    args: [],
    params: {},
    lengthSeconds: 60,
    target: readTarget({ type: 'Random', ...body }, labels),
    createdBy: 'a@b.c',
    source: 'Api',
    idempotency,
  })
  const create = (sent: Sent, idempotency?: NewAttack['idempotency']) =>
    openAttacks(test.redis).create(attack(sent, idempotency))
  const preview = (sent: Sent) => openAttacks(test.redis).preview(attack(sent))
  const executionsOf = async (attackId: string) =>
    (await openExecutions(test.redis).ofAttacks(teamId, [attackId]))[0] ?? []

  it('draws every host equally often, and only live ones that carry all tags', async () => {
    for (let i = 0; i < 8; i += 1) await claim(`h${i}`, { zone: i < 5 ? 'a' : 'b', role: 'web' })
    await claim('stale', { zone: 'a', role: 'web' }, [], 'stale', 1)
    const draws = 2_000
    const counts = new Map<string, number>()
    for (let i = 0; i < draws; i += 1) {
      const result = await create({ tags: { zone: 'a', role: 'web' } })
      if (result.kind !== 'created') throw new Error(result.kind)
      const host = result.hosts[0] as string
      counts.set(host, (counts.get(host) ?? 0) + 1)
    }
    expect([...counts.keys()].sort()).toEqual(['h0', 'h1', 'h2', 'h3', 'h4'])
    const expected = draws / 5
    const chiSquare = [...counts.values()].reduce(
      (sum, n) => sum + (n - expected) ** 2 / expected,
      0,
    )
    // 99.99 % of fair draws stay below 23.5 with four degrees of freedom.
    expect(chiSquare).toBeLessThan(23.5)
  })

  it('takes all hosts named in Exact or none, and names those that are missing', async () => {
    await claim('h1')
    await claim('h2')
    expect(await create({ type: 'Exact', exact: ['h1', 'ghost', 'h2', 'other'] })).toEqual({
      kind: 'missing',
      ids: ['ghost', 'other'],
    })
    expect(await test.redis.exists(keys.attacks(teamId))).toBe(0)
    const result = await create({ type: 'Exact', exact: ['h1', 'h2'] })
    expect(result).toMatchObject({ kind: 'created', hosts: ['h1', 'h2'] })
  })

  it('does not see the hosts of another team', async () => {
    await claim('h1')
    teamId = randomUUID()
    expect(await create({})).toMatchObject({ kind: 'none', hostsWithTags: 0 })
    expect(await create({ type: 'Exact', exact: ['h1'] })).toMatchObject({ kind: 'missing' })
  })

  it('hits every container that carries all labels, and never a protected one', async () => {
    await claim('h1', {}, [
      { id: 'c1', labels: { app: 'web', tier: 'front' } },
      { id: 'c2', labels: { app: 'web', tier: 'back' } },
      { id: 'c3', labels: { app: 'web', tier: 'front', 'temblor.protect': 'true' } },
      { id: 'c4', labels: { app: 'web', tier: 'front' }, protected: true },
      { id: 'c5', labels: { app: 'web', tier: 'front', more: 'x' }, state: 'paused' },
    ])
    const result = await create({ labels: { app: 'web', tier: 'front' } })
    if (result.kind !== 'created') throw new Error(result.kind)
    const rows = await executionsOf(result.attackId)
    expect(rows.map((row) => row.containerId)).toEqual(['c1', 'c5'])
    expect(rows.every((row) => row.stage === 'Pending' && row.host === 'h1')).toBe(true)
    expect(await create({ labels: { 'temblor.protect': 'true' } })).toEqual({
      kind: 'none',
      hostsWithTags: 1,
      protectedContainers: 1,
    })
  })

  it('draws with labels only among hosts that run such a container', async () => {
    await claim('empty')
    await claim('full', {}, [{ id: 'c1', labels: { app: 'web' } }])
    for (let i = 0; i < 20; i += 1)
      expect(await create({ labels: { app: 'web' } })).toMatchObject({ hosts: ['full'] })
  })

  it('reports a host of Exact that has no such container, and goes on with the others', async () => {
    await claim('empty')
    await claim('full', {}, [{ id: 'c1', labels: { app: 'web' } }])
    const target = { type: 'Exact', exact: ['empty', 'full'], labels: { app: 'web' } } as const
    const result = await create(target)
    if (result.kind !== 'created') throw new Error(result.kind)
    const record = await openAttacks(test.redis).find(teamId, result.attackId)
    expect(record?.withoutContainer).toEqual(['empty'])
    expect(await create({ ...target, exact: ['empty'] })).toMatchObject({ kind: 'none' })
  })

  it('hits a container once when two agents watch its engine', async () => {
    const shared = [{ id: 'c1', labels: { app: 'web' } }]
    await claim('a', {}, shared)
    await claim('b', {}, shared)
    const result = await create({ type: 'Exact', exact: ['a', 'b'], labels: { app: 'web' } })
    if (result.kind !== 'created') throw new Error(result.kind)
    expect(await executionsOf(result.attackId)).toHaveLength(1)
  })

  it('makes as many executions as there are containers', async () => {
    const many = Array.from({ length: 100 }, (_, i) => ({ id: `c${i}`, labels: { app: 'web' } }))
    await claim('h1', {}, many)
    const result = await create({ labels: { app: 'web' } })
    if (result.kind !== 'created') throw new Error(result.kind)
    const rows = await executionsOf(result.attackId)
    expect(new Set(rows.map((row) => row.id)).size).toBe(100)
    expect(await openExecutions(test.redis).waitingOrders(teamId, 'h1')).toHaveLength(100)
  })

  it('refuses a second live host of the same name and names both', async () => {
    expect(await claim('h1', {}, [], 'first')).toMatchObject({ kind: 'ok', epoch: 1 })
    expect(await claim('h1', {}, [], 'second')).toMatchObject({
      kind: 'in_use',
      instanceId: 'first',
      bootId: 'boot of first',
    })
    expect(await claim('h1', {}, [], 'first')).toMatchObject({ kind: 'ok', epoch: 2 })
  })

  it('lets another host take a name whose lease is over', async () => {
    await claim('h1', {}, [], 'first', 1)
    await expect.poll(() => claim('h1', {}, [], 'second')).toMatchObject({ kind: 'ok' })
  })

  it('fences the older session of a host, and a revoked one', async () => {
    const hosts = openHosts(test.redis)
    await claim('h1')
    await claim('h1')
    const refresh = (epoch: number) => hosts.refresh(teamId, 'h1', { epoch, leaseMs }, {})
    expect(await refresh(1)).toEqual({ kind: 'replaced' })
    expect(await refresh(2)).toEqual({ kind: 'ok', waitingOrders: 0 })
    await hosts.release(teamId, 'h1', 1)
    expect(await create({})).toMatchObject({ kind: 'created' })
    expect(await hosts.revoke(teamId, 'h1')).toBe(true)
    expect(await hosts.revoke(teamId, 'nobody')).toBe(false)
    expect(await create({})).toMatchObject({ kind: 'none' })
    expect(await claim('h1')).toEqual({ kind: 'revoked' })
    expect(await hosts.activate(teamId, 'h1')).toBe(true)
    expect(await claim('h1')).toMatchObject({ kind: 'ok' })
  })

  const web = (id: string, more: Record<string, string> = {}) => ({
    id,
    labels: { app: 'web', ...more },
  })
  const created = async (sent: Sent) => {
    const result = await create(sent)
    if (result.kind !== 'created') throw new Error(JSON.stringify(result))
    return await executionsOf(result.attackId)
  }

  it('draws as many hosts as were asked for, all different', async () => {
    for (let i = 0; i < 10; i += 1) await claim(`h${i}`)
    for (const [sent, size] of [
      [{ hosts: 'all', exact: 4 }, 4],
      [{ hosts: 'all', exact: '3' }, 3],
      [{ hosts: 'all', percent: 25 }, 3],
      [{ percent: 100 }, 10],
      [{ percent: 1 }, 1],
    ] as const) {
      const hosts = (await created(sent)).map((row) => row.host)
      expect(new Set(hosts).size).toBe(size)
      expect(hosts).toHaveLength(size)
    }
    expect(await create({ exact: 11 })).toEqual({ kind: 'few', matching: 10, asked: 11 })
  })

  it('reads alternatives within a key and all keys of a selector', async () => {
    await claim('a', { zone: 'a', role: 'web' })
    await claim('b', { zone: 'b', role: 'web' })
    await claim('c', { zone: 'c', role: 'web' })
    await claim('d', { zone: 'a', role: 'db' })
    const multiSelectTags = { zone: ['a', 'b'], role: ['web'] }
    const rows = await created({ hosts: { multiSelectTags }, percent: 100 })
    expect(rows.map((row) => row.host).sort()).toEqual(['a', 'b'])
  })

  it('takes the ids of hosts in every form that clients send', async () => {
    await claim('h1')
    await claim('h2')
    for (const sent of [
      { type: 'Exact', exact: ['h1', 'h2'] },
      { type: 'Exact', hosts: { ids: ['h1', 'h2'] } },
      { type: 'Exact', exact: '1', hosts: { ids: ['h1', 'h2'] } },
    ])
      expect((await created(sent)).map((row) => row.host).sort()).toEqual(['h1', 'h2'])
  })

  it('draws containers by count and percent, and takes named ones or none', async () => {
    await claim('h1', {}, [web('c1'), web('c2'), web('c3', { 'temblor.protect': 'true' })])
    await claim('h2', {}, [web('c4'), web('c5'), { id: 'db', labels: { app: 'db' } }])
    const labels = { app: ['web'] }
    const ids = async (sent: Sent) => (await created(sent)).map((row) => row.containerId).sort()
    expect(await ids({ containers: { multiSelectLabels: labels }, percent: 100 })).toEqual([
      'c1',
      'c2',
      'c4',
      'c5',
    ])
    expect(await ids({ containers: { labels: { app: 'web' } }, exact: 3 })).toHaveLength(3)
    expect(await ids({ containers: 'all', percent: 100 })).toHaveLength(5)
    expect(await ids({ type: 'Exact', containers: { ids: ['c2', 'db'] } })).toEqual(['c2', 'db'])
    expect(await create({ type: 'Exact', containers: { ids: ['c2', 'nope'] } })).toEqual({
      kind: 'missing',
      ids: ['nope'],
    })
    expect(await create({ type: 'Exact', containers: { ids: ['c3'] } })).toEqual({
      kind: 'missing',
      ids: ['c3'],
    })
  })

  it('hits all matching containers of one host when no number is given', async () => {
    await claim('h1', {}, [web('c1'), web('c2')])
    expect(await created({ containers: { labels: { app: 'web' } } })).toHaveLength(2)
  })

  it('answers the same attack for the same key and body, and refuses another body', async () => {
    await claim('h1')
    const key = { key: 'release-7', bodyHash: 'a' }
    const first = await create({}, key)
    if (first.kind !== 'created') throw new Error(first.kind)
    expect(await create({}, key)).toEqual({ kind: 'repeated', attackId: first.attackId })
    expect(await create({}, { ...key, bodyHash: 'b' })).toEqual({ kind: 'conflict' })
    expect(await openAttacks(test.redis).list(teamId, {}, 10)).toHaveLength(1)
    const racing = { key: 'race', bodyHash: 'a' }
    const results = await Promise.all(Array.from({ length: 20 }, () => create({}, racing)))
    expect(results.filter((result) => result.kind === 'created')).toHaveLength(1)
  })

  it('previews with the same rule, says who is out and why, and writes nothing', async () => {
    await claim('h1', { zone: 'a' }, [web('c1'), web('c2', { 'temblor.protect': 'true' })])
    await claim('h2', { zone: 'b' }, [])
    await claim('h3', { zone: 'a' }, [])
    await claim('stale', { zone: 'a' }, [], 'stale', 1)
    await openHosts(test.redis).revoke(teamId, 'h3')
    const before = (await test.redis.keys('*')).sort()
    const found = await preview({
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
    const drawn = await preview({ percent: 50 })
    expect(drawn).toMatchObject({ drawn: 1, units: 2 })
  })

  it('lists by state and page, the newest first', async () => {
    await claim('h1')
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1) {
      const result = await create({})
      if (result.kind === 'created') ids.unshift(result.attackId)
    }
    const attacks = openAttacks(test.redis)
    const all = (await attacks.list(teamId, {}, 1_000)) ?? []
    const order = all.map((one) => one.id)
    expect([...order].sort()).toEqual([...ids].sort())
    const first = (await attacks.list(teamId, {}, 2)) ?? []
    const next = (await attacks.list(teamId, {}, 3, first[1]?.id)) ?? []
    expect([...first, ...next].map((one) => one.id)).toEqual(order)
    expect(await attacks.list(teamId, {}, 2, randomUUID())).toBeUndefined()
    expect(await attacks.list(teamId, { state: 'completed' }, 10)).toEqual([])
    expect(await attacks.list(teamId, { state: 'active' }, 10)).toHaveLength(5)
    const middle = all[2]?.createdMs ?? 0
    const range = (await attacks.list(teamId, { fromMs: middle, toMs: middle }, 10)) ?? []
    expect(range.every((one) => one.createdMs === middle)).toBe(true)
    expect(range.length).toBeGreaterThan(0)
  })
})
