import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { targetingRig } from '../support/targeting-rig.ts'

const labels = { app: 'web' }
const containers = [
  { id: 'c1', labels },
  { id: 'c2', labels },
]

describe('a container that two agents on one engine report', () => {
  let test: TestRedis
  let rig: ReturnType<typeof targetingRig>
  beforeAll(async () => {
    test = await startTestRedis()
  })
  afterAll(() => test[Symbol.asyncDispose]())
  beforeEach(() => {
    rig = targetingRig(test.redis)
  })

  const rowsOf = async (sent: Parameters<typeof rig.created>[0]) =>
    (await rig.created(sent)).map(({ host, containerId }) => ({ host, containerId }))
  const once = [
    { host: 'a', containerId: 'c1' },
    { host: 'a', containerId: 'c2' },
  ]

  it('is hit once, through the one whose identifier is smallest, whoever came first', async () => {
    await rig.claim('b', {}, containers, 'b', 10_000)
    await rig.claim('a', {}, containers, 'a', 15_000)
    expect(await rowsOf({ labels })).toEqual(once)
    expect(await rowsOf({ percent: 100, labels })).toEqual(once)
    expect(await rowsOf({ type: 'Exact', exact: ['b', 'a'], labels })).toEqual(once)
  })

  it('is hit through the same agent as the preview says', async () => {
    await rig.claim('b', {}, containers, 'b', 10_000)
    await rig.claim('a', {}, containers, 'a', 15_000)
    const { rows } = await rig.preview({ labels })
    expect(rows.map(({ host, container }) => ({ host, containerId: container }))).toEqual(once)
  })

  it('is hit through the other one when the first is silent, or was not meant', async () => {
    await rig.claim('a', {}, containers, 'a', 0)
    await rig.claim('b', { zone: 'x' }, containers)
    expect((await rowsOf({ labels })).map(({ host }) => host)).toEqual(['b', 'b'])
    await rig.claim('a', { zone: 'y' }, containers)
    const sent = { tags: { zone: 'x' }, labels }
    expect((await rowsOf(sent)).map(({ host }) => host)).toEqual(['b', 'b'])
  })
})
