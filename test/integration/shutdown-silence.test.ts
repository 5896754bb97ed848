import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Seal } from '../../controller/auth/seal.ts'
import { sweep } from '../../controller/jobs/deadlines.ts'
import { keys } from '../../controller/store/keys.ts'
import { openStore, type Store } from '../../controller/store/store.ts'
import type { Stage } from '../../shared/stages.ts'
import { readTarget } from '../../shared/targets.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { reportWord } from '../support/report-word.ts'

/** No agent is connected. */
const nobody = { deliverSoon: () => undefined }

/** What it means that nothing more is heard of a host that was to go down. */
describe('a shutdown of which no more is heard', () => {
  let test: TestRedis
  let store: Store
  let teamId: string
  beforeAll(async () => {
    test = await startTestRedis()
    store = await openStore(test.redis, {} as Seal)
  })
  afterAll(() => test[Symbol.asyncDispose]())
  beforeEach(async () => {
    teamId = randomUUID()
    await test.redis.hset(keys.teamCompanies, teamId, 'company')
  })

  const claim = (leaseMs: number) =>
    store.hosts.claim(
      teamId,
      {
        identifier: 'h1',
        instanceId: 'i',
        bootId: 'b',
        version: '1',
        address: '',
        inventory: null,
      },
      leaseMs,
    )

  /** A shutdown that has reached these stages, with its host silent (or not) at its due time. */
  async function silentAt(params: object, reached: readonly Stage[], isAlive = false) {
    await claim(15_000)
    const result = await store.attacks.create({
      teamId,
      type: 'shutdown',
      args: [],
      params: { delayMinutes: 1, crash: false, allowControllerHost: false, ...params },
      lengthSeconds: 60,
      target: readTarget({ type: 'Random' }, null),
      createdBy: 'a@b.c',
      source: 'Api',
    })
    if (result.kind !== 'created') throw new Error(result.kind)
    const [order] = await store.executions.waitingOrders(teamId, 'h1')
    const executionId = order?.executionId as string
    const report = async (seq: number, stage: Stage, change: object = {}) => {
      const word = reportWord({ executionId, seq, stage, ...change })
      return (await store.executions.hear(teamId, [word]))[0]
    }
    for (const [index, stage] of reached.entries()) await report(index + 1, stage)
    if (!isAlive) await store.hosts.release(teamId, 'h1', 1)
    return {
      report,
      attackId: result.attackId,
      atDueTime: async (doesSilenceCount = true) => {
        await test.redis.zadd(keys.due(teamId), 1, executionId)
        await sweep(store, nobody, doesSilenceCount)
        return await store.executions.find(teamId, executionId)
      },
    }
  }

  it('was carried out when the host said that it powers off, and is silent', async () => {
    const { atDueTime, report } = await silentAt({ reboot: false }, ['Running', 'TearingDown'])
    const over = await atDueTime()
    expect(over).toMatchObject({ stage: 'Successful', reason: 'completed' })
    expect(over?.output).toMatch(/h1 said that it powers off and has been silent since 20\d\d-/)
    // Somebody switched it on again, much later.
    const late = { reason: 'completed', message: 'The host went down and is back.' }
    expect(await report(100_000_000, 'Successful', late)).toBe('ignored')
    expect(await report(100_000_001, 'Failed', { reason: 'fault_died' })).toBe('ignored')
    expect(await atDueTime()).toEqual({
      ...over,
      seq: expect.any(Number),
      updatedMs: expect.any(Number),
    })
    expect(await store.attacks.activeIds(teamId)).toEqual([])
    // Nothing that it missed makes it do that again.
    expect(await store.executions.waitingOrders(teamId, 'h1')).toMatchObject([{ generation: 2 }])
  })

  it('is lost when the host never said that it goes down', async () => {
    const { atDueTime } = await silentAt({ reboot: false }, ['Running'])
    expect(await atDueTime()).toMatchObject({ stage: 'LostCommunication', reason: 'agent_silent' })
  })

  it('is lost when the host was to come back', async () => {
    const { atDueTime } = await silentAt({ reboot: true }, ['Running', 'TearingDown'])
    const over = await atDueTime()
    expect(over).toMatchObject({ stage: 'LostCommunication', reason: 'agent_silent' })
    expect(over?.output).toContain('did not come back in 900 s')
  })

  it('is lost when the host is still heard of: it is not off', async () => {
    const { atDueTime } = await silentAt({ reboot: false }, ['Running', 'TearingDown'], true)
    const over = await atDueTime()
    expect(over).toMatchObject({ stage: 'LostCommunication', reason: 'agent_silent' })
    expect(over?.output).toContain('is still heard of after 120 s')
  })

  it('was carried out although somebody halted it when it was too late', async () => {
    const stages = ['Running', 'TearingDown'] as const
    const { atDueTime, attackId } = await silentAt({ reboot: false }, stages)
    await store.attacks.halt(teamId, attackId, { who: 'a', reason: '', reference: '' })
    expect(await atDueTime()).toMatchObject({ stage: 'Successful', reason: 'completed' })
  })

  it('is not judged while hosts had nobody to tell, until they could have come back', async () => {
    const { controllers } = store
    expect([await controllers.doesSilenceCount(), await controllers.doesSilenceCount()]).toEqual([
      true,
      true,
    ])
    const nowMs = Date.now()
    await test.redis.hset(keys.silence, 'looked_ms', nowMs - 6_000)
    expect(await controllers.doesSilenceCount()).toBe(false)
    const countsMs = Number(await test.redis.hget(keys.silence, 'counts_ms'))
    expect(countsMs - nowMs).toBeGreaterThanOrEqual(15_000)
    const { atDueTime } = await silentAt({ reboot: false }, ['Running'])
    expect(await atDueTime(false)).toMatchObject({ stage: 'Running' })
    await test.redis.hset(keys.silence, 'looked_ms', Date.now(), 'counts_ms', Date.now())
    expect(await atDueTime(await controllers.doesSilenceCount())).toMatchObject({
      stage: 'LostCommunication',
    })
  })

  it('is not over before its time', async () => {
    const { atDueTime } = await silentAt({ reboot: false }, ['Running', 'TearingDown'])
    expect(await sweep(store, nobody)).toBe(0)
    expect(await atDueTime()).toMatchObject({ stage: 'Successful' })
  })
})
