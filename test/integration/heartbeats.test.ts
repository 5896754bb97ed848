import { once } from 'node:events'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Heartbeats } from '../../controller/agents/heartbeats.ts'
import { openHosts, type Hosts, type RefreshResult } from '../../controller/store/hosts.ts'
import { keys } from '../../controller/store/keys.ts'
import { openRedis, redisNowMs } from '../../controller/store/redis.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { scriptCalls } from '../support/script-calls.ts'
import { leaseMs, targetingRig } from '../support/targeting-rig.ts'
import { until } from '../support/until.ts'

const logger = pino({ level: 'silent' })

let test: TestRedis
let hosts: Hosts
let rig: ReturnType<typeof targetingRig>
beforeAll(async () => {
  test = await startTestRedis()
  hosts = openHosts(test.redis)
})
afterAll(() => test[Symbol.asyncDispose]())
beforeEach(() => {
  rig = targetingRig(test.redis)
})

/** Sends a heartbeat; resolves to what became of it. */
function beat(
  heartbeats: Heartbeats,
  identifier: string,
  { epoch = 1, running = [] as string[], lease = leaseMs } = {},
): Promise<RefreshResult> {
  return new Promise((answer) => {
    heartbeats.beat(rig.teamId, { identifier, epoch, leaseMs: lease, running, answer })
  })
}

const record = (identifier: string) => test.redis.hgetall(keys.host(rig.teamId, identifier))

/** What is left of a host's lease, in ms. */
const left = async (name: string) =>
  Number(await test.redis.zscore(keys.liveHosts(rig.teamId), name)) -
  (await redisNowMs(test.redis, keys.liveHosts(rig.teamId)))

describe('heartbeats', () => {
  it('of a team are written in one step, and each session hears of its own', async () => {
    for (let i = 0; i < 20; i += 1) await rig.claim(`h${i}`)
    await rig.create({ type: 'Exact', exact: ['h3'] })
    await hosts.revoke(rig.teamId, 'h4')
    const heartbeats = new Heartbeats({ hosts, logger })
    await beat(heartbeats, 'h0')
    const before = await scriptCalls(test.redis)
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        beat(heartbeats, `h${i}`, {
          epoch: i === 5 ? 0 : 1,
          running: [`x${i}`],
        }),
      ),
    )
    expect((await scriptCalls(test.redis)).count).toBe(before.count + 1)
    expect(all[3]).toEqual({ kind: 'ok', waitingOrders: 1 })
    // Whoever is revoked has no session any more.
    expect(all[4]).toEqual({ kind: 'replaced' })
    expect(all[5]).toEqual({ kind: 'replaced' })
    expect(all.filter(({ kind }) => kind === 'ok')).toHaveLength(18)
    // The older session changed nothing; that of the next host did.
    expect((await record('h5'))['running']).toBe('[]')
    expect((await record('h6'))['running']).toBe('["x6"]')
    heartbeats.close()
  })

  it('renew the lease, and one after a goodbye does not', async () => {
    for (const name of ['stays', 'goes']) await rig.claim(name, {}, [], name, 1_000)
    const heartbeats = new Heartbeats({ hosts, logger })
    heartbeats.beat(rig.teamId, { identifier: 'goes', epoch: 1, leaseMs, answer: () => undefined })
    const stays = beat(heartbeats, 'stays')
    heartbeats.forget(rig.teamId, 'goes')
    await hosts.release(rig.teamId, 'goes', 1)
    expect(await stays).toMatchObject({ kind: 'ok' })
    expect(await left('stays')).toBeGreaterThan(leaseMs - 2_000)
    expect(await left('goes')).toBeLessThan(0)
    expect(await rig.create({ percent: 100 })).toMatchObject({ hosts: ['stays'] })
    heartbeats.close()
  })

  it('wait while Redis is away: of each host the latest, and none whose lease is over by then', async () => {
    for (const name of ['twice', 'once']) await rig.claim(name)
    await rig.claim('short', {}, [], 'short', 60_000)
    const redis = openRedis(test.url)
    redis.on('error', () => undefined)
    const failures: unknown[] = []
    const listening = pino({ level: 'warn' }, { write: (line: string) => failures.push(line) })
    const heartbeats = new Heartbeats({ hosts: openHosts(redis), logger: listening })
    await beat(heartbeats, 'once')
    expect(heartbeats.isKept()).toBe(true)
    // Gone for this connection only, as a network can be.
    redis.disconnect()
    await once(redis, 'end')
    const answers: string[] = []
    const say = (identifier: string, running: string, lease = leaseMs) =>
      heartbeats.beat(rig.teamId, {
        identifier,
        epoch: 1,
        leaseMs: lease,
        running: [running],
        answer: () => answers.push(running),
      })
    say('twice', 'first')
    say('short', 'short', 300)
    await until('one round has failed', () => failures.length > 0)
    say('twice', 'second')
    await until('another round has failed', () => failures.length > 1)
    await redis.connect()
    await until('they are written', () => answers.length > 0)
    expect(answers).toEqual(['second'])
    expect((await record('twice'))['running']).toBe('["second"]')
    expect((await record('short'))['running']).toBe('[]')
    expect(heartbeats.isKept()).toBe(true)
    heartbeats.close()
    redis.disconnect()
  })

  it('and claims of before Redis stood still renew nothing when it goes on', async () => {
    await rig.claim('h1')
    const beatOfH1 = { identifier: 'h1', epoch: 1, leaseMs: 60_000 }
    // From here on the team's clock is known to both: only the writing scripts are left to be asked for.
    await hosts.refresh(rig.teamId, [{ ...beatOfH1, leaseMs }])
    const pid = Number(/process_id:(\d+)/.exec(await test.redis.info('server'))?.[1])
    process.kill(pid, 'SIGSTOP')
    try {
      const asked = [hosts.refresh(rig.teamId, [beatOfH1]), rig.claim('h2')]
      for (const one of await Promise.allSettled(asked))
        expect(one).toMatchObject({ reason: { message: 'Command timed out' } })
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    expect(await left('h1')).toBeLessThanOrEqual(leaseMs)
    expect(await record('h2')).toEqual({})
    await hosts.refresh(rig.teamId, [beatOfH1])
    expect(await left('h1')).toBeGreaterThan(leaseMs)
    await rig.claim('h2')
    expect(await left('h2')).toBeGreaterThan(0)
  })
})
