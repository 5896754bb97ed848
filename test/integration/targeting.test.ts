import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Inventory__Output } from '../../proto/gen/temblor/agent/v1/Inventory.ts'
import { openAttacks, type NewAttack } from '../../controller/store/attacks.ts'
import { openExecutions } from '../../controller/store/executions.ts'
import { openHosts, type ClaimResult } from '../../controller/store/hosts.ts'
import { keys } from '../../controller/store/keys.ts'
import type { Target } from '../../shared/targets.ts'
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

  const attack = (target: Partial<Target>): NewAttack => ({
    teamId,
    type: 'cpu',
    args: [],
    params: {},
    lengthSeconds: 60,
    target: { type: 'Random', tags: {}, exact: [], labels: {}, ...target },
    createdBy: 'a@b.c',
    source: 'Api',
  })
  const create = (target: Partial<Target>) => openAttacks(test.redis).create(attack(target))
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
      identifiers: ['ghost', 'other'],
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
})
