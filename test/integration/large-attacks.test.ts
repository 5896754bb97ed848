import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openAttacks } from '../../controller/store/attacks.ts'
import { openExecutions } from '../../controller/store/executions.ts'
import { openHosts } from '../../controller/store/hosts.ts'
import { keys } from '../../controller/store/keys.ts'
import { openRedis, type Redis } from '../../controller/store/redis.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { scriptCalls } from '../support/script-calls.ts'
import { targetingRig } from '../support/targeting-rig.ts'
import { until } from '../support/until.ts'

const hosts = 1_000
/** None falls silent by itself, however slow the machine is. */
const lease = 600_000
const all = { type: 'Random', percent: 100 }
const names = Array.from({ length: hosts }, (_, index) => `h${index}`)
const key = { key: 'k', bodyHash: 'body' }

const at = (name: string) => JSON.stringify(new URL(`../../${name}.ts`, import.meta.url).href)

describe('an attack on more hosts than one script writes', () => {
  let test: TestRedis
  let watcher: Redis
  let rig: ReturnType<typeof targetingRig>
  beforeAll(async () => {
    test = await startTestRedis()
    watcher = openRedis(test.url)
  })
  afterAll(async () => {
    watcher.disconnect()
    await test[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    rig = targetingRig(test.redis)
    await Promise.all(names.map((name) => rig.claim(name, {}, [], name, lease)))
  })

  const attacks = () => openAttacks(test.redis)
  /** The id of an attack of which some slices are written. */
  const half = () =>
    until(
      'a slice is written',
      async () => {
        const [id] = await watcher.zrange(keys.unwrittenAttacks(rig.teamId), '0', '-1')
        return id
      },
      15_000,
      0,
    )
  const isGone = async () => {
    const left = await watcher.keys(`*{t:${rig.teamId}}*`)
    return left.filter((name) => !/:(hosts|host:.*|live|index.*|attack-block)$/.test(name))
  }

  it('reaches each of them once, and all at the same moment', async () => {
    const creating = rig.create(all)
    const id = await half()
    expect(await attacks().find(rig.teamId, id)).toBeUndefined()
    expect(await attacks().activeIds(rig.teamId)).toEqual([])
    const result = await creating
    expect(result).toMatchObject({ kind: 'created', attackId: id })
    expect(await attacks().activeIds(rig.teamId)).toEqual([id])
    const executions = await rig.executionsOf(id)
    expect(executions.map(({ host }) => host).sort()).toEqual(names.toSorted())
    const waiting = await openExecutions(test.redis).waitingOrders(rig.teamId, 'h7')
    expect(waiting).toHaveLength(1)
    expect((await openExecutions(test.redis).openOn(rig.teamId, 'h7')).length).toBe(1)
    expect(await watcher.exists(keys.unwrittenAttacks(rig.teamId))).toBe(0)
  })

  it('draws as many as were asked for, and refuses like a small one', async () => {
    expect(await rig.created({ type: 'Random', exact: '300' })).toHaveLength(300)
    expect(await rig.created({ type: 'Exact', exact: names.slice(0, 400) })).toHaveLength(400)
    const missing = await rig.create({ type: 'Exact', exact: [...names, 'nobody'] })
    expect(missing).toEqual({ kind: 'missing', ids: ['nobody'] })
    expect(await rig.create({ type: 'Random', exact: '1001' })).toEqual({
      kind: 'few',
      matching: 1_000,
      asked: 1_001,
    })
    expect(await rig.create({ type: 'Random', tags: { zone: 'a' } })).toMatchObject({
      kind: 'none',
      hostsWithTags: 0,
    })
    expect(await rig.preview({ type: 'Random', percent: 50 })).toMatchObject({
      drawn: 500,
      units: 1_000,
    })
  })

  it('leaves nothing behind when whoever writes it is killed; its key is free', async () => {
    // By itself, between two slices: a process beside it may come too late, when all is written.
    const program = `
      const { keys } = await import(${at('controller/store/keys')})
      const { openRedis } = await import(${at('controller/store/redis')})
      const { targetingRig } = await import(${at('test/support/targeting-rig')})
      const [url, teamId] = process.argv.slice(1)
      const watcher = openRedis(url)
      await watcher.ping()
      void targetingRig(openRedis(url), teamId)
        .create({ type: 'Random', percent: 100 }, { key: 'k', bodyHash: 'body' })
        .finally(() => process.exit())
      while ((await watcher.exists(keys.unwrittenAttacks(teamId))) === 0);
      process.kill(process.pid, 'SIGKILL')`
    const writer = spawn(
      process.execPath,
      ['--input-type=module', '-e', program, test.url, rig.teamId],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    )
    expect(await once(writer, 'exit')).toEqual([null, 'SIGKILL'])
    const id = await half()
    expect(await watcher.llen(keys.attackExecutions(rig.teamId, id))).toBeGreaterThan(0)
    expect(await attacks().find(rig.teamId, id)).toBeUndefined()
    expect(await attacks().discardUnwritten(rig.teamId)).toBe(0)
    // Its time is up.
    await watcher.zadd(keys.unwrittenAttacks(rig.teamId), 1, id)
    const again = await rig.create(all, key)
    expect(await attacks().discardUnwritten(rig.teamId)).toBe(1)
    if (again.kind !== 'created') throw new Error(again.kind)
    expect(await rig.executionsOf(again.attackId)).toHaveLength(hosts)
    expect(await openExecutions(test.redis).waitingOrders(rig.teamId, 'h0')).toHaveLength(1)
    expect(await watcher.zcard(keys.due(rig.teamId))).toBe(hosts)
    expect(await rig.create(all, key)).toEqual({ kind: 'repeated', attackId: again.attackId })
  })

  it('is one when the same request comes twice at once', async () => {
    const results = await Promise.all([rig.create(all, key), rig.create(all, key)])
    expect(results.map(({ kind }) => kind).sort()).toEqual(['created', 'repeated'])
    expect(new Set(results.map((one) => 'attackId' in one && one.attackId)).size).toBe(1)
    expect(await watcher.zcard(keys.due(rig.teamId))).toBe(hosts)
  })

  it('does not start when all was halted before its last write', async () => {
    const creating = rig.create(all, key)
    await half()
    await attacks().withdrawUnwritten(rig.teamId)
    expect(await creating).toEqual({ kind: 'withdrawn' })
    expect(await isGone()).toEqual([])
    expect(await rig.create(all, key)).toMatchObject({ kind: 'created' })
  })

  it('does not start when new attacks were blocked before its last write', async () => {
    const creating = rig.create(all)
    await half()
    await watcher.set(
      keys.attackBlock(rig.teamId),
      JSON.stringify({ by: 'a', since: 1, reason: '' }),
    )
    expect(await creating).toMatchObject({ kind: 'blocked' })
    expect(await isGone()).toEqual([])
  })

  it('spares a host that left meanwhile, or is refused when that was named', async () => {
    const leave = async () => {
      await half()
      // The last ones in the order of the names are written last.
      await openHosts(watcher).release(rig.teamId, 'h999', 1)
    }
    const [result] = await Promise.all([rig.create(all), leave()])
    if (result.kind !== 'created') throw new Error(result.kind)
    expect(result.hosts).toHaveLength(hosts - 1)
    expect(result.hosts).not.toContain('h999')
    await rig.claim('h999', {}, [], 'h999', lease)
    const named = { type: 'Exact', exact: names }
    const leaveAgain = async () => {
      await until(
        'it is being written',
        () => watcher.exists(keys.unwrittenAttacks(rig.teamId)),
        15_000,
        0,
      )
      await openHosts(watcher).release(rig.teamId, 'h999', 2)
    }
    const [refused] = await Promise.all([rig.create(named), leaveAgain()])
    expect(refused).toEqual({ kind: 'missing', ids: ['h999'] })
    expect(await attacks().activeIds(rig.teamId)).toEqual([result.attackId])
    expect(await watcher.zcard(keys.due(rig.teamId))).toBe(hosts - 1)
  })

  it('is halted as a whole: no host is given an order to begin, whatever it has been told', async () => {
    const result = await rig.create(all)
    if (result.kind !== 'created') throw new Error(result.kind)
    const executions = openExecutions(test.redis)
    const ordersOf = async (host: string) =>
      (await executions.ordersFor(rig.teamId, [host]))[0]?.orders ?? []
    const [order] = await ordersOf('h1')
    expect(order?.generation).toBe(1)
    const by = { who: 'ann', reason: 'enough', reference: '' }
    const told: string[] = []
    const halting = attacks().halt(rig.teamId, result.attackId, by, ({ orders: some }) =>
      told.push(...some.map(({ host }) => host)),
    )
    await until('the first slice is halted', () => told.length > 0, 15_000, 0)
    // The last ones are not halted yet.
    const last = (await rig.executionsOf(result.attackId)).at(-1)?.host ?? ''
    const early = await ordersOf(last)
    expect(early.filter(({ generation }) => generation === 1)).toEqual([])
    expect((await halting)?.toSorted()).toEqual(names.toSorted())
    expect(told.toSorted()).toEqual(names.toSorted())
    const stages = (await executions.briefOfAttacks(rig.teamId, [result.attackId]))[0]
    expect(new Set(stages?.map(({ stage }) => stage))).toEqual(new Set(['Halt']))
    const orders = await ordersOf('h1')
    expect(orders.map(({ generation }) => generation)).toEqual([2])
    // What was on its way when the halt came.
    const said = {
      kind: 'order' as const,
      host: 'h1',
      epoch: 1,
      executionId: order?.executionId ?? '',
    }
    expect(await executions.hear(rig.teamId, [{ ...said, generation: 1 }])).toEqual(['unknown'])
    expect(await ordersOf('h1')).toEqual(orders)
    expect(await attacks().halt(rig.teamId, result.attackId, by)).toEqual([])
  })

  it('holds Redis for some milliseconds at a time, also with ten thousand targets', async () => {
    const more = Array.from({ length: 10_000 }, (_, index) => `h${index}`).slice(hosts)
    for (let from = 0; from < more.length; from += hosts)
      await Promise.all(
        more.slice(from, from + hosts).map((name) => rig.claim(name, {}, [], name, lease)),
      )
    const before = await scriptCalls(watcher)
    const result = await rig.create(all)
    if (result.kind !== 'created') throw new Error(result.kind)
    expect(result.hosts).toHaveLength(10_000)
    const by = { who: 'ann', reason: '', reference: '' }
    expect(await attacks().halt(rig.teamId, result.attackId, by)).toHaveLength(10_000)
    const [brief] = await openExecutions(test.redis).briefOfAttacks(rig.teamId, [result.attackId])
    expect(brief).toHaveLength(10_000)
    const after = await scriptCalls(watcher)
    const count = after.count - before.count
    // 50 to look at the hosts, 100 to write and 100 to halt; one script for all would take some hundred milliseconds.
    expect(count).toBeGreaterThan(240)
    expect((after.micros - before.micros) / count).toBeLessThan(25_000)
  })
})
