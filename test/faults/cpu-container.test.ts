import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsDocker, dockerSkipReason, targetContainers } from '../support/docker.ts'
import type { TargetContainers } from '../support/docker.ts'
import { effectOf } from '../support/effect.ts'
import { elapse, until } from '../support/until.ts'
import { executorRig, memoryOf, type ExecutorRig } from './executor-rig.ts'
import { untilNear } from './latency-rig.ts'

describe('cpu in a container', () => {
  needsDocker()
  let rig: ExecutorRig
  let targets: TargetContainers
  beforeAll(async () => {
    if (dockerSkipReason) return
    targets = await targetContainers()
    rig = await executorRig()
  })
  afterAll(async () => {
    await rig?.[Symbol.asyncDispose]()
    await targets?.[Symbol.asyncDispose]()
  })

  it('burns its share of the quota in the container, charges no memory, spares the neighbour', async () => {
    const target = await targets.start({ app: 'web' })
    const neighbour = await targets.start({ app: 'other' })
    const memoryBefore = memoryOf(target.id)
    const id = await rig.attack('cpu', { lengthSeconds: 6, percent: 50 }, target)
    await rig.running(id)
    const [from, fromNeighbour, at] = [
      target.cpuSeconds(),
      neighbour.cpuSeconds(),
      performance.now(),
    ]
    await elapse(5000)
    const seconds = (performance.now() - at) / 1000
    const percent = (100 * (target.cpuSeconds() - from)) / seconds / 0.5
    expect(neighbour.cpuSeconds() - fromNeighbour).toBeLessThan(0.005)
    expect(memoryOf(target.id) - memoryBefore).toBeLessThan(1024 * 1024)
    const report = await rig.ended(id)
    expect(report).toMatchObject({ reason: 'completed', requested: { value: 50 } })
    expect(effectOf(report)).toMatchObject({ isAsAsked: true })
    expect(percent - 50).toBeLessThan(3)
    expect(50 - percent).toBeLessThan(effectOf(report).tolerance)
    expect(target.pids()).toHaveLength(1)
    expect(rig.burners(id)).toEqual([])
  })

  it('reports the stages of a whole attack in order', async () => {
    const target = await targets.start({})
    const id = await rig.attack('cpu', { lengthSeconds: 1, percent: 10 }, target)
    await rig.ended(id)
    const stages = rig.updates.filter((one) => one.executionId === id).map((one) => one.stage)
    expect([...new Set(stages)]).toEqual(['Initializing', 'Running', 'TearingDown', 'Successful'])
  })

  it('ends at once with target_gone when the container is removed', async () => {
    const target = await targets.start({})
    const id = await rig.attack('cpu', { percent: 50 }, target)
    await rig.running(id)
    await target.container.remove({ force: true })
    const report = await rig.ended(id)
    expect(report).toMatchObject({ reason: 'target_gone' })
    expect(rig.burners(id)).toEqual([])
    // A burner that stayed would keep the control group of the dead container.
    expect(() => target.pids()).toThrow('no control group')
  })

  it('follows a container that restarts, for the time that remains only', async () => {
    const target = await targets.start({})
    const id = await rig.attack('cpu', { lengthSeconds: 8, percent: 50 }, target)
    await rig.running(id)
    const [first] = rig.burners(id)
    const at = performance.now()
    await target.container.restart({ t: 0 })
    const [second] = await until('the load is back', () => {
      const found = rig.burners(id)
      return found.length === 1 && found[0]?.pid !== first?.pid && found
    })
    const backAfterMs = performance.now() - at
    const before = target.cpuSeconds()
    const report = await rig.ended(id)
    expect(second).toBeDefined()
    expect(target.cpuSeconds() - before).toBeGreaterThan(0.5)
    // Begun anew for its whole length it would end that much later.
    expect(performance.now() - at).toBeLessThan(8000 + backAfterMs)
    expect(report).toMatchObject({ reason: 'completed' })
    expect(report.message).toContain('restarted')
  })

  it('says so when the container stopped and did not come back', async () => {
    const target = await targets.start({})
    const id = await rig.attack('cpu', { lengthSeconds: 3, percent: 50 }, target)
    await rig.running(id)
    await target.container.stop({ t: 0 })
    const report = await rig.ended(id)
    expect(report).toMatchObject({ reason: 'target_gone' })
    expect(report.message).toContain('did not come back')
  })

  it('goes on in a paused container and ends on time', async () => {
    const target = await targets.start({})
    const id = await rig.attack('cpu', { lengthSeconds: 3, percent: 50 }, target)
    await rig.running(id)
    const at = performance.now()
    await target.container.pause()
    const report = await rig.ended(id)
    expect(performance.now() - at).toBeLessThan(5000)
    expect(report).toMatchObject({ reason: 'completed' })
    expect(report.message).toContain('paused')
    expect(rig.burners(id)).toEqual([])
  })

  it('adds up two attacks on one container and ends each alone', async () => {
    const target = await targets.start({})
    const first = await rig.attack('cpu', { lengthSeconds: 90, percent: 20 }, target)
    const second = await rig.attack('cpu', { lengthSeconds: 90, percent: 30 }, target)
    await Promise.all([rig.running(first), rig.running(second)])
    const share = async () => {
      const [from, at] = [target.cpuSeconds(), performance.now()]
      await elapse(3000)
      return (100_000 * (target.cpuSeconds() - from)) / (performance.now() - at) / 0.5
    }
    await untilNear(50, share)
    rig.executor.halt(second, 1, '')
    expect(await rig.ended(second)).toMatchObject({ reason: 'halted' })
    await untilNear(20, share)
    rig.executor.halt(first, 1, '')
    expect(await rig.ended(first)).toMatchObject({ reason: 'halted' })
  })

  it('refuses what the owner forbids, before any side effect', async () => {
    const target = await targets.start({ 'temblor.protect': 'true' })
    const id = await rig.attack('cpu', { percent: 50 }, target)
    const report = await rig.ended(id)
    expect(report).toMatchObject({ reason: 'forbidden_by_owner' })
    expect(report.message).toContain('temblor.protect')
    expect(rig.journal.get(id)?.undo).toEqual([])
  })

  it('says when there is no such container', async () => {
    const id = await rig.attack('cpu', {}, { id: 'f'.repeat(64), name: 'nobody' })
    expect(await rig.ended(id)).toMatchObject({ reason: 'target_not_found' })
  })
})
