import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openAttacks } from '../../controller/store/attacks.ts'
import { openExecutions, type ExecutionReport } from '../../controller/store/executions.ts'
import { openHosts } from '../../controller/store/hosts.ts'
import { keys } from '../../controller/store/keys.ts'
import { readTarget } from '../../shared/targets.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

const by = (who: string) => ({ who, reason: 'test', reference: '' })

describe('executions', () => {
  let test: TestRedis
  let teamId = ''
  let attackId = ''
  let executionId = ''
  beforeAll(async () => {
    test = await startTestRedis()
  })
  afterAll(() => test[Symbol.asyncDispose]())

  beforeEach(async () => {
    teamId = randomUUID()
    const host = {
      identifier: 'h1',
      instanceId: 'i',
      bootId: 'b',
      version: '1',
      address: '',
      inventory: null,
    }
    await openHosts(test.redis).claim(teamId, host, 15_000)
    const result = await openAttacks(test.redis).create({
      teamId,
      type: 'cpu',
      args: [],
      params: {},
      lengthSeconds: 10,
      target: readTarget({ type: 'Random' }, null),
      createdBy: 'a@b.c',
      source: 'Api',
    })
    if (result.kind !== 'created') throw new Error(result.kind)
    attackId = result.attackId
    executionId = (await orders())[0]?.executionId as string
  })

  const executions = () => openExecutions(test.redis)
  const orders = () => executions().waitingOrders(teamId, 'h1')
  const find = async () => {
    const execution = await executions().find(teamId, executionId)
    if (!execution) throw new Error('There is no such execution.')
    return execution
  }
  const acknowledge = (generation: number) =>
    executions().acknowledge(teamId, 'h1', { executionId, generation })
  const report = (seq: number, stage: ExecutionReport['stage'], more?: Partial<ExecutionReport>) =>
    executions().report(teamId, {
      host: 'h1',
      executionId,
      seq,
      stage,
      reason: undefined,
      message: '',
      ageMs: 0,
      requested: undefined,
      measured: undefined,
      backend: '',
      clientVersion: '1',
      lostInMs: 60_000,
      ...more,
    })

  it('go from order to report to end, each step with its time', async () => {
    expect((await find()).stage).toBe('Pending')
    await acknowledge(1)
    expect(await orders()).toEqual([])
    expect((await find()).stage).toBe('Distributed')
    expect(await report(1, 'Initializing')).toBe('moved')
    expect(await report(2, 'Running', { ageMs: 5_000 })).toBe('moved')
    const done = { reason: 'completed', message: 'Done.' } as const
    expect(await report(3, 'Successful', done)).toBe('moved')
    const execution = await find()
    expect(execution).toMatchObject({ stage: 'Successful', reason: 'completed', output: 'Done.' })
    expect(execution.serviceStates.map((state) => state.stage)).toEqual([
      'Pending',
      'Distributed',
      'Initializing',
      'Running',
      'Successful',
    ])
    const [service, client] = [execution.serviceStates[3], execution.clientStates[1]]
    expect((service?.atMs ?? 0) - (client?.atMs ?? 0)).toBeCloseTo(5_000, -2)
    expect(await test.redis.zcard(keys.due(teamId))).toBe(0)
    expect(await openAttacks(test.redis).activeIds(teamId)).toEqual([])
    expect(await executions().openOn(teamId, 'h1')).toEqual([])
  })

  it('never move backwards, whatever comes late or twice', async () => {
    await acknowledge(1)
    expect(await report(2, 'Running')).toBe('moved')
    expect(await report(2, 'Running')).toBe('repeated')
    expect(await report(1, 'Initializing')).toBe('repeated')
    expect(await report(3, 'Initializing')).toBe('ignored')
    expect(await report(4, 'ClientAborted', { reason: 'target_gone' })).toBe('moved')
    expect(await report(5, 'Successful', { reason: 'completed' })).toBe('ignored')
    expect(await find()).toMatchObject({ stage: 'ClientAborted', reason: 'target_gone' })
  })

  it('take figures while they run, not afterwards', async () => {
    const measured = { metric: 'cpu', value: 50, unit: '%', detail: {} }
    await report(1, 'Running')
    expect(await report(2, 'Running', { measured })).toBe('figures')
    expect((await find()).measured).toMatchObject({ value: 50 })
    const series = await executions().series(teamId, executionId)
    expect(series.map((point) => point.value)).toEqual([50])
    expect(series[0]?.atMs).toBeGreaterThan(1.7e12)
    await report(3, 'Successful', { reason: 'completed' })
    const late = { ...measured, value: 99 }
    expect(await report(4, 'Running', { measured: late })).toBe('ignored')
    expect((await find()).measured).toMatchObject({ value: 50 })
  })

  it('listen to their own host only', async () => {
    expect(await report(1, 'Successful', { host: 'h2' })).toBe('foreign')
    expect(await report(1, 'Running', { executionId: randomUUID() })).toBe('unknown')
    await executions().acknowledge(teamId, 'h2', { executionId, generation: 1 })
    expect((await find()).stage).toBe('Pending')
    expect(await orders()).toHaveLength(1)
  })

  it('are halted once, by whoever was first, and the order to run is replaced', async () => {
    const attacks = openAttacks(test.redis)
    expect(await attacks.activeIds(teamId)).toEqual([attackId])
    expect(await attacks.halt(teamId, attackId, by('ann'))).toEqual(['h1'])
    expect(await attacks.halt(teamId, attackId, by('bob'))).toEqual([])
    expect(await attacks.halt(teamId, randomUUID(), by('bob'))).toBeUndefined()
    expect(await orders()).toEqual([{ executionId, generation: 2 }])
    await acknowledge(1)
    expect(await orders()).toHaveLength(1)
    expect(await report(1, 'Running')).toBe('ignored')
    await acknowledge(2)
    expect((await find()).stage).toBe('HaltDistributed')
    expect(await report(2, 'UserHalted', { reason: 'halted' })).toBe('moved')
    expect((await attacks.find(teamId, attackId))?.halted).toMatchObject({
      by: 'ann',
      reason: 'test',
    })
  })

  it('are lost when nothing is heard by their due time, and will not start after that', async () => {
    const before = await find()
    const silent = { reason: 'agent_silent', message: 'Silent.' } as const
    expect(await executions().giveUp(teamId, before, silent)).toBe(false)
    await test.redis.zadd(keys.due(teamId), 1, executionId)
    expect((await executions().overdue(teamId)).map((one) => one.id)).toEqual([executionId])
    expect(await executions().giveUp(teamId, before, silent)).toBe(true)
    expect(await executions().giveUp(teamId, before, silent)).toBe(false)
    expect(await find()).toMatchObject({ stage: 'LostCommunication', reason: 'agent_silent' })
    expect(await orders()).toEqual([{ executionId, generation: 2 }])
    expect(await report(1, 'Successful')).toBe('ignored')
  })

  it('end when their host comes back without knowing them', async () => {
    await acknowledge(1)
    await report(1, 'Running')
    const [open] = await executions().openOn(teamId, 'h1')
    if (!open) throw new Error('Nothing is open.')
    await executions().end(teamId, open, 'agent_restarted', 'Forgotten.')
    expect(await find()).toMatchObject({ stage: 'ClientAborted', reason: 'agent_restarted' })
  })
})
