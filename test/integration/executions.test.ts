import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openAttacks } from '../../controller/store/attacks.ts'
import {
  openExecutions,
  type AgentWord,
  type ExecutionReport,
} from '../../controller/store/executions.ts'
import { openHosts } from '../../controller/store/hosts.ts'
import { keys } from '../../controller/store/keys.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { reportWord } from '../support/report-word.ts'
import { targetingRig } from '../support/targeting-rig.ts'

const by = (who: string) => ({ who, reason: 'test', reference: '' })

describe('executions', () => {
  let test: TestRedis
  let teamId = ''
  let attackId = ''
  let executionId = ''
  let epoch = 1
  beforeAll(async () => {
    test = await startTestRedis()
  })
  afterAll(() => test[Symbol.asyncDispose]())

  beforeEach(async () => {
    teamId = randomUUID()
    await openSession('h1')
    const rig = targetingRig(test.redis, teamId)
    const result = await rig.create({}, undefined, { lengthSeconds: 10 })
    if (result.kind !== 'created') throw new Error(result.kind)
    attackId = result.attackId
    executionId = (await orders())[0]?.executionId as string
  })

  const openSession = async (identifier: string) => {
    const host = {
      identifier,
      instanceId: 'i',
      bootId: 'b',
      version: '1',
      address: '',
      inventory: null,
    }
    const claim = await openHosts(test.redis).claim(teamId, host, 15_000)
    if (claim.kind !== 'ok') throw new Error(claim.kind)
    epoch = claim.epoch
  }
  const executions = () => openExecutions(test.redis)
  const orders = () => executions().waitingOrders(teamId, 'h1')
  const find = async () => {
    const execution = await executions().find(teamId, executionId)
    if (!execution) throw new Error('There is no such execution.')
    return execution
  }
  const hear = async (word: AgentWord) => (await executions().hear(teamId, [word]))[0]
  const order = (generation: number, more?: { host?: string; epoch?: number }): AgentWord => ({
    kind: 'order',
    host: 'h1',
    epoch,
    executionId,
    generation,
    ...more,
  })
  const acknowledge = (generation: number) => hear(order(generation))
  const word = (
    seq: number,
    stage: ExecutionReport['stage'],
    more?: Partial<ExecutionReport>,
  ): AgentWord => reportWord({ epoch, executionId, seq, stage, ...more })
  const report = (...of: Parameters<typeof word>) => hear(word(...of))

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
    await openSession('h2')
    expect(await report(1, 'Successful', { host: 'h2' })).toBe('foreign')
    expect(await report(1, 'Running', { executionId: randomUUID() })).toBe('unknown')
    expect(await hear(order(1, { host: 'h2' }))).toBe('unknown')
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

  it('are ordered no more when their agent has refused them without writing them down', async () => {
    expect(await orders()).toEqual([{ executionId, generation: 1 }])
    expect(await report(1, 'InitializationFailed', { reason: 'start_failed' })).toBe('moved')
    expect(await orders()).toEqual([])
  })

  it('end when their host comes back without knowing them', async () => {
    await acknowledge(1)
    await report(1, 'Running')
    const [open] = await executions().openOn(teamId, 'h1')
    if (!open) throw new Error('Nothing is open.')
    const forgotten = { reason: 'agent_restarted', message: 'Forgotten.', epoch } as const
    await executions().end(teamId, open, forgotten)
    expect(await find()).toMatchObject({ stage: 'ClientAborted', reason: 'agent_restarted' })
  })

  it('are heard of together as if each word came alone', async () => {
    const stranger = { executionId: randomUUID() }
    const words = [
      order(1),
      word(1, 'Initializing'),
      word(2, 'Running', { epoch: epoch - 1 }),
      word(2, 'Running', stranger),
      word(2, 'Running', { executionId: '} not an id' }),
      word(2, 'Running'),
      word(2, 'Running'),
      word(9, 'Running', { host: 'h2', epoch: 1 }),
      order(1),
      word(3, 'Successful', { reason: 'completed' }),
    ]
    await openSession('h2')
    expect(await executions().hear(teamId, words)).toEqual([
      'moved',
      'moved',
      'outdated',
      'unknown',
      'unknown',
      'moved',
      'repeated',
      'foreign',
      'unknown',
      'moved',
    ])
    const { stage, serviceStates, clientStates } = await find()
    expect(stage).toBe('Successful')
    const stages = ['Initializing', 'Running', 'Successful']
    expect(serviceStates.map((one) => one.stage)).toEqual(['Pending', 'Distributed', ...stages])
    expect(clientStates.map((one) => one.stage)).toEqual(stages)
    expect(await executions().openOn(teamId, 'h1')).toEqual([])
    expect(await openAttacks(test.redis).activeIds(teamId)).toEqual([])
  })

  // A frozen controller holds what an agent said, and goes on with it after the agent has come back elsewhere.
  describe('of a host with a newer session', () => {
    const older = 1
    beforeEach(() => openSession('h1'))
    const late = (seq: number, stage: ExecutionReport['stage'], more?: Partial<ExecutionReport>) =>
      report(seq, stage, { ...more, epoch: older })

    it('keep an order that only the older session has acknowledged', async () => {
      expect(await hear(order(1, { epoch: older }))).toBe('outdated')
      expect(await orders()).toEqual([{ executionId, generation: 1 }])
      expect((await find()).stage).toBe('Pending')
      expect(await hear(order(1))).toBe('moved')
      expect(await orders()).toEqual([])
    })

    it('are not ended by a late report, and take it when it comes over the newer session', async () => {
      const end = { reason: 'fault_died', message: 'Died.' } as const
      expect(await report(1, 'Running')).toBe('moved')
      expect(await late(7, 'Failed', end)).toBe('outdated')
      expect((await find()).stage).toBe('Running')
      // A late number must not make the agent's next reports look repeated.
      expect(await report(2, 'TearingDown')).toBe('moved')
      expect(await report(7, 'Failed', end)).toBe('moved')
    })

    it('are not ended because the older session did not know of them', async () => {
      await report(1, 'Running')
      const forgotten = { reason: 'agent_restarted', message: 'Forgotten.' } as const
      await executions().end(teamId, await find(), { ...forgotten, epoch: older })
      expect((await find()).stage).toBe('Running')
      await executions().end(teamId, await find(), { ...forgotten, epoch })
      expect((await find()).stage).toBe('ClientAborted')
    })
  })
})
