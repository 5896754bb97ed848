import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Seal } from '../../controller/auth/seal.ts'
import { sweep } from '../../controller/jobs/deadlines.ts'
import { keys } from '../../controller/store/keys.ts'
import { openStore, type Store } from '../../controller/store/store.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { targetingRig } from '../support/targeting-rig.ts'

const nobody = { deliverSoon: () => undefined }

let test: TestRedis
let store: Store
beforeAll(async () => {
  test = await startTestRedis()
})
afterAll(() => test[Symbol.asyncDispose]())
beforeEach(async () => {
  await test.redis.flushall()
  store = await openStore(test.redis, {} as Seal)
})

/** A team whose one attack is past its due time. */
async function overdueTeam(teamId: string = randomUUID()) {
  const rig = targetingRig(test.redis, teamId)
  await rig.claim('h1')
  const [execution] = await rig.created({})
  const id = String(execution?.id)
  await test.redis.zadd(keys.due(teamId), 1, id)
  return { teamId, stage: async () => (await store.executions.find(teamId, id))?.stage }
}

/** So long ago that it is over. */
const noteLongAgo = (teamId: string) => test.redis.zadd(keys.busyTeams, 1, teamId)

describe('the sweep of what is due', () => {
  it('asks nothing of 5,000 teams in which nothing is', async () => {
    const idle = Array.from({ length: 5_000 }, () => [randomUUID(), 'a company']).flat()
    await test.redis.hset(keys.teamCompanies, ...idle)
    // Once a minute all are asked.
    await sweep(store, nobody)
    const { teamId, stage } = await overdueTeam()
    const commands = async () =>
      Number(/total_commands_processed:(\d+)/.exec(await test.redis.info('stats'))?.[1])
    const before = await commands()
    expect(await sweep(store, nobody)).toBe(1)
    for (let i = 0; i < 9; i += 1) await sweep(store, nobody)
    expect((await commands()) - before).toBeLessThan(100)
    expect(await stage()).toBe('LostCommunication')
    expect(await store.busyTeams.list()).toEqual([teamId])
  })

  it('lists a team no more when nothing is due and the last note is old, and then again', async () => {
    const { teamId, stage } = await overdueTeam()
    await noteLongAgo(teamId)
    expect(await sweep(store, nobody)).toBe(1)
    // Noted a moment ago: somebody may be about to write.
    await store.busyTeams.note(teamId)
    await sweep(store, nobody)
    expect([await stage(), await store.busyTeams.list()]).toEqual(['LostCommunication', [teamId]])
    await noteLongAgo(teamId)
    await sweep(store, nobody)
    expect(await store.busyTeams.list()).toEqual([])
    const again = await overdueTeam(teamId)
    expect(await sweep(store, nobody)).toBe(1)
    expect(await again.stage()).toBe('LostCommunication')
  })

  it('finds what was written by a version that noted no teams, within the minute', async () => {
    const { teamId, stage } = await overdueTeam()
    await test.redis.hset(keys.teamCompanies, teamId, 'a company')
    await test.redis.set(keys.busyTurn, '1')
    await test.redis.del(keys.busyTeams)
    expect([await sweep(store, nobody), await stage()]).toEqual([0, 'Pending'])
    await test.redis.del(keys.busyTurn)
    expect([await sweep(store, nobody), await stage()]).toEqual([1, 'LostCommunication'])
    expect(await test.redis.ttl(keys.busyTurn)).toBeGreaterThan(50)
  })
})
