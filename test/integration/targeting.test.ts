import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openAttacks } from '../../controller/store/attacks.ts'
import { openExecutions } from '../../controller/store/executions.ts'
import { openHosts } from '../../controller/store/hosts.ts'
import { keys } from '../../controller/store/keys.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { leaseMs, targetingRig } from '../support/targeting-rig.ts'

describe('targeting', () => {
  let test: TestRedis
  let rig: ReturnType<typeof targetingRig>
  beforeAll(async () => {
    test = await startTestRedis()
  })
  afterAll(() => test[Symbol.asyncDispose]())
  beforeEach(() => {
    rig = targetingRig(test.redis)
  })

  it('draws every host equally often, and only live ones that carry all tags', async () => {
    for (let i = 0; i < 8; i += 1) {
      const tags = { zone: i < 5 ? 'a' : 'b', role: 'web' }
      // No lease ends meanwhile, however slow the machine is.
      await rig.claim(`h${i}`, tags, [], `h${i}`, 600_000)
    }
    await rig.claim('stale', { zone: 'a', role: 'web' }, [], 'stale', 0)
    const draws = 2_000
    const counts = new Map<string, number>()
    const draw = async () => {
      const result = await rig.create({ tags: { zone: 'a', role: 'web' } })
      if (result.kind !== 'created') throw new Error(result.kind)
      const host = result.hosts[0] as string
      counts.set(host, (counts.get(host) ?? 0) + 1)
    }
    for (let i = 0; i < draws; i += 100) await Promise.all(Array.from({ length: 100 }, draw))
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
    await rig.claim('h1')
    await rig.claim('h2')
    expect(await rig.create({ type: 'Exact', exact: ['h1', 'ghost', 'h2', 'other'] })).toEqual({
      kind: 'missing',
      ids: ['ghost', 'other'],
    })
    expect(await test.redis.exists(keys.attacks(rig.teamId))).toBe(0)
    const result = await rig.create({ type: 'Exact', exact: ['h1', 'h2'] })
    expect(result).toMatchObject({ kind: 'created', hosts: ['h1', 'h2'] })
  })

  it('does not see the hosts of another team', async () => {
    await rig.claim('h1')
    rig = targetingRig(test.redis)
    expect(await rig.create({})).toMatchObject({ kind: 'none', hostsWithTags: 0 })
    expect(await rig.create({ type: 'Exact', exact: ['h1'] })).toMatchObject({ kind: 'missing' })
  })

  it('hits every container that carries all labels, and never a protected one', async () => {
    await rig.claim('h1', {}, [
      { id: 'c1', labels: { app: 'web', tier: 'front' } },
      { id: 'c2', labels: { app: 'web', tier: 'back' } },
      { id: 'c3', labels: { app: 'web', tier: 'front', 'temblor.protect': 'true' } },
      { id: 'c4', labels: { app: 'web', tier: 'front' }, protected: true },
      { id: 'c5', labels: { app: 'web', tier: 'front', more: 'x' }, state: 'paused' },
    ])
    const result = await rig.create({ labels: { app: 'web', tier: 'front' } })
    if (result.kind !== 'created') throw new Error(result.kind)
    const rows = await rig.executionsOf(result.attackId)
    expect(rows.map((row) => row.containerId)).toEqual(['c1', 'c5'])
    expect(rows.every((row) => row.stage === 'Pending' && row.host === 'h1')).toBe(true)
    expect(await rig.create({ labels: { 'temblor.protect': 'true' } })).toEqual({
      kind: 'none',
      hostsWithTags: 1,
      protectedContainers: 1,
      controllerHosts: 0,
    })
  })

  it('draws with labels only among hosts that run such a container', async () => {
    await rig.claim('empty')
    await rig.claim('full', {}, [{ id: 'c1', labels: { app: 'web' } }])
    for (let i = 0; i < 20; i += 1)
      expect(await rig.create({ labels: { app: 'web' } })).toMatchObject({ hosts: ['full'] })
  })

  it('reports a host of Exact that has no such container, and goes on with the others', async () => {
    await rig.claim('empty')
    await rig.claim('full', {}, [{ id: 'c1', labels: { app: 'web' } }])
    const target = { type: 'Exact', exact: ['empty', 'full'], labels: { app: 'web' } } as const
    const result = await rig.create(target)
    if (result.kind !== 'created') throw new Error(result.kind)
    const record = await openAttacks(test.redis).find(rig.teamId, result.attackId)
    expect(record?.withoutContainer).toEqual(['empty'])
    expect(await rig.create({ ...target, exact: ['empty'] })).toMatchObject({ kind: 'none' })
  })

  it('hits a container once when two agents watch its engine', async () => {
    const shared = [{ id: 'c1', labels: { app: 'web' } }]
    await rig.claim('a', {}, shared)
    await rig.claim('b', {}, shared)
    const result = await rig.create({ type: 'Exact', exact: ['a', 'b'], labels: { app: 'web' } })
    if (result.kind !== 'created') throw new Error(result.kind)
    expect(await rig.executionsOf(result.attackId)).toHaveLength(1)
  })

  it('makes as many executions as there are containers', async () => {
    const many = Array.from({ length: 100 }, (_, i) => ({ id: `c${i}`, labels: { app: 'web' } }))
    await rig.claim('h1', {}, many)
    const result = await rig.create({ labels: { app: 'web' } })
    if (result.kind !== 'created') throw new Error(result.kind)
    const rows = await rig.executionsOf(result.attackId)
    expect(new Set(rows.map((row) => row.id)).size).toBe(100)
    expect(await openExecutions(test.redis).waitingOrders(rig.teamId, 'h1')).toHaveLength(100)
  })

  it('refuses a second live host of the same name and names both', async () => {
    expect(await rig.claim('h1', {}, [], 'first')).toMatchObject({ kind: 'ok', epoch: 1 })
    expect(await rig.claim('h1', {}, [], 'second')).toMatchObject({
      kind: 'in_use',
      instanceId: 'first',
      bootId: 'boot of first',
    })
    expect(await rig.claim('h1', {}, [], 'first')).toMatchObject({ kind: 'ok', epoch: 2 })
  })

  it('lets another host take a name whose lease is over', async () => {
    await rig.claim('h1', {}, [], 'first', 0)
    expect(await rig.claim('h1', {}, [], 'second')).toMatchObject({ kind: 'ok' })
  })

  it('takes a Hello that comes behind a later one of the same agent only when nobody speaks for the host', async () => {
    const { claim } = rig
    const hello = (attempt: number, lease?: number) => claim('h1', {}, [], 'h1', lease, { attempt })
    expect(await hello(5)).toMatchObject({ kind: 'ok', epoch: 1 })
    expect(await hello(4)).toEqual({ kind: 'outdated' })
    // The same once more, as a connection that broke sends it; one of an agent that does not count; a later one.
    expect(await hello(5)).toMatchObject({ kind: 'ok', epoch: 2 })
    expect(await hello(0)).toMatchObject({ kind: 'ok', epoch: 3 })
    expect(await hello(6, 0)).toMatchObject({ kind: 'ok', epoch: 4 })
    expect(await hello(4)).toMatchObject({ kind: 'ok', epoch: 5 })
  })

  it('fences the older session of a host, and a revoked one', async () => {
    const hosts = openHosts(test.redis)
    await rig.claim('h1')
    await rig.claim('h1')
    const refresh = async (epoch: number) =>
      (await hosts.refresh(rig.teamId, [{ identifier: 'h1', epoch, leaseMs }]))[0]
    expect(await refresh(1)).toEqual({ kind: 'replaced' })
    expect(await refresh(2)).toEqual({ kind: 'ok', waitingOrders: 0 })
    await hosts.release(rig.teamId, 'h1', 1)
    expect(await rig.create({})).toMatchObject({ kind: 'created' })
    expect(await hosts.revoke(rig.teamId, 'h1')).toBe(true)
    expect(await hosts.revoke(rig.teamId, 'nobody')).toBe(false)
    expect(await rig.create({})).toMatchObject({ kind: 'none' })
    expect(await rig.claim('h1')).toEqual({ kind: 'revoked' })
    expect(await rig.claim('other-name', {}, [], 'h1')).toEqual({ kind: 'revoked' })
    expect(await rig.claim('other-name')).toMatchObject({ kind: 'ok' })
    expect(await hosts.activate(rig.teamId, 'h1')).toBe(true)
    expect(await rig.claim('h1')).toMatchObject({ kind: 'ok' })
  })
})
