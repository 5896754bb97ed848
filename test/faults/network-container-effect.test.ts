import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ExecutionUpdate } from '../../agent/execution-update.ts'
import type { AttackTypeName } from '../../shared/attacks/index.ts'
import { dockerSkipReason, makeImage, needsDocker } from '../support/docker.ts'
import { until } from '../support/until.ts'
import { executorRig, type ExecutorRig } from './executor-rig.ts'
import { refuseHelpers, stateOf, untilNear } from './latency-rig.ts'
import {
  namesOfDevices,
  typicalRoundTripMs,
  networkContainer,
  roundTripMs,
  type NetworkContainer,
} from './network-containers.ts'

const instanceId = randomUUID()
const delayMs = 60
let rig: ExecutorRig
let bystander: NetworkContainer
beforeAll(async () => {
  if (dockerSkipReason) return
  await makeImage()
  rig = await executorRig({ instanceId })
  bystander = await networkContainer()
})
afterEach(async () => {
  await rig?.executor.endAll('halted', 'The test is over.')
  refuseHelpers(instanceId)
})
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]()
  await bystander?.[Symbol.asyncDispose]()
})

const halt = async (id: string) => {
  rig.executor.halt(id, 1, '')
  return rig.ended(id)
}
const start = async (type: AttackTypeName, target: NetworkContainer, attackId?: string) => {
  const id = await rig.attack(type, type === 'latency' ? { delayMs } : {}, target, attackId)
  await rig.running(id)
  return id
}
const addressOf = async (one: NetworkContainer) => (await one.now()).address
const isDelayed = async (one: NetworkContainer) => {
  const address = await addressOf(one)
  await untilNear(delayMs, () => typicalRoundTripMs(address))
}
const isNormal = async (one: NetworkContainer) => {
  const address = await addressOf(one)
  await untilNear(0, () => typicalRoundTripMs(address))
}
const isDead = async (one: NetworkContainer) =>
  expect(await roundTripMs(await addressOf(one), 500)).toBeNull()
const checks = { latency: isDelayed, blackhole: isDead } as const
const isRestarted = ({ message }: ExecutionUpdate) => message.includes('restarted')
const both = ['latency', 'blackhole'] as const

describe('in a container', () => {
  needsDocker()

  it.each(both)('%s hits all its traffic, and no other container', async (type) => {
    await using target = await networkContainer()
    const path = `/proc/${(await target.now()).pid}/ns/net`
    const before = await stateOf(path)
    const id = await start(type, target)
    await checks[type](target)
    await isNormal(bystander)
    await halt(id)
    await isNormal(target)
    expect(await stateOf(path)).toBe(before)
  })

  it.each(both)('%s follows a container that restarts, and says so', async (type) => {
    await using target = await networkContainer()
    const id = await start(type, target)
    await target.container.restart({ t: 0 })
    await rig.reached(id, isRestarted)
    await checks[type](target)
    const report = await halt(id)
    expect(report.message).toContain('restarted')
    await isNormal(target)
  })

  it('what was hit before a restart counts, too', async () => {
    await using target = await networkContainer()
    const id = await start('blackhole', target)
    await isDead(target)
    await target.container.restart({ t: 0 })
    await rig.reached(id, isRestarted)
    expect((await halt(id)).message).not.toContain('No packet')
  })

  it.each(both)('%s ends when the container is removed, and keeps nothing of it', async (type) => {
    const before = new Set(namesOfDevices())
    const target = await networkContainer()
    const own = namesOfDevices().filter((name) => !before.has(name))
    expect(own).not.toEqual([])
    const { pid } = await target.now()
    const id = await start(type, target)
    await target.container.remove({ force: true })
    expect(await rig.ended(id)).toMatchObject({ reason: 'target_gone' })
    expect(rig.executor.running).toEqual([])
    expect(pid).not.toBe(0)
    const isGone = () => !namesOfDevices().some((name) => own.includes(name))
    await until('its device is gone', isGone, 3000)
  })

  it.each(both)('%s is refused on the network of the host', async (type) => {
    await using target = await networkContainer('host')
    const id = await rig.attack(type, {}, target)
    const report = await rig.ended(id)
    expect(report).toMatchObject({ reason: 'unsupported' })
    expect(report.message).toContain(`${target.name} uses the network of its host`)
    expect(rig.journal.get(id)?.undo).toEqual([])
  })

  it.each(both)('%s is refused where there is no network', async (type) => {
    await using target = await networkContainer('none')
    const id = await rig.attack(type, {}, target)
    const report = await rig.ended(id)
    expect(report).toMatchObject({ reason: 'unsupported' })
    expect(report.message).toContain('no network device with a route')
    expect(rig.journal.get(id)?.undo).toEqual([])
  })
})

describe('in containers that share a network', () => {
  needsDocker()

  it.each(both)('%s hits once, and the end of one leaves the other', async (type) => {
    await using owner = await networkContainer()
    await using guest = await networkContainer(`container:${owner.id}`)
    const path = `/proc/${(await owner.now()).pid}/ns/net`
    const before = await stateOf(path)
    const attackId = randomUUID()
    const [first, second] = [await start(type, owner, attackId), await start(type, guest, attackId)]
    await checks[type](owner)
    await halt(first)
    await checks[type](owner)
    const report = await halt(second)
    expect(report.message).toContain('hit once, together')
    await isNormal(owner)
    expect(await stateOf(path)).toBe(before)
  })

  it.each(both)('%s leaves the one when the other is removed', async (type) => {
    await using owner = await networkContainer()
    const guest = await networkContainer(`container:${owner.id}`)
    const attackId = randomUUID()
    const ids = await Promise.all([start(type, guest, attackId), start(type, owner, attackId)])
    await guest.container.remove({ force: true })
    expect(await rig.ended(ids[0] ?? '')).toMatchObject({ reason: 'target_gone' })
    await checks[type](owner)
    await halt(ids[1] ?? '')
    await isNormal(owner)
  })
})

describe('in several containers at once', () => {
  needsDocker()

  it.each(both)('%s hits each of them alone', async (type) => {
    const targets = await Promise.all([1, 2, 3].map(() => networkContainer()))
    const attackId = randomUUID()
    const ids = await Promise.all(targets.map((one) => start(type, one, attackId)))
    for (const one of targets) await checks[type](one)
    await isNormal(bystander)
    for (const id of ids) expect(await halt(id)).toMatchObject({ reason: 'halted' })
    for (const one of targets) await isNormal(one)
    await Promise.all(targets.map((one) => one[Symbol.asyncDispose]()))
  })
})
