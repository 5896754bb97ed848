import { randomUUID } from 'node:crypto'
import { attackTypeNames } from '../../shared/attacks/index.ts'
import { readTarget } from '../../shared/targets.ts'
import { openAttacks, type Attacks } from '../../controller/store/attacks.ts'
import { openExecutions } from '../../controller/store/executions.ts'
import { openHosts } from '../../controller/store/hosts.ts'
import { keys } from '../../controller/store/keys.ts'
import type { Redis } from '../../controller/store/redis.ts'
import { openSessions } from '../../controller/store/sessions.ts'
import { startTestRedis } from '../support/redis.ts'
import { decimal } from './figures.ts'
import type { Group } from './group.ts'

const teamId = randomUUID()
const dayMs = 86_400_000
const wideHosts = 100

/** What things of each kind take in Redis' memory: how much more it uses with many of them than without, by each. */
export const measureStorage: Group = async (context) => {
  await using own = await startTestRedis()
  const { redis } = own
  await redis.config('SET', 'appendfsync', 'no')
  const count = context.isQuick ? 200 : 1_000
  const rows: string[][] = [['ONE MORE', 'KB', 'MEASURED WITH']]
  const measure = async (what: string, times: number, add: (index: number) => Promise<unknown>) => {
    context.say(`Redis' memory: ${what}`)
    const before = await memory(redis)
    for (let index = 0; index < times; index += 1) await add(index)
    const kilobytes = ((await memory(redis)) - before) / times / 1_000
    rows.push([what, decimal(kilobytes, 2), String(times)])
    return kilobytes
  }
  await measure('host with 10 tags, without containers', count, (index) => addHost(redis, index))
  // Full as they are in an installation of some age.
  await measure('event of a team, of 10,000 that are kept', 10_000, (index) =>
    addEvent(redis, index),
  )
  const small = await measure('attack that is over, with 1 execution', count, (index) =>
    addAttack(redis, [`host-${index}`]),
  )
  const all = Array.from({ length: wideHosts }, (_, index) => `host-${index}`)
  const wide = await measure(`attack that is over, with ${wideHosts} executions`, count / 50, () =>
    addAttack(redis, all),
  )
  rows.push(['further execution', decimal((wide - small) / (wideHosts - 1), 2), '-'])
  const execution = randomUUID()
  await measure('point of the series of an execution', 3_600, (index) =>
    redis.rpush(
      keys.series(teamId, execution),
      `${Date.now() + index}@${(index * 7.13).toFixed(2)}`,
    ),
  )
  await measure('session', count, () => addSession(redis))
  const notes = [
    '`used_memory` of a Redis with nothing else, which counts what allocator and indexes add.',
  ]
  return { title: 'What is kept in Redis', rows, notes, missing: [] }
}

async function memory(redis: Redis): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1])
}

async function addHost(redis: Redis, index: number): Promise<void> {
  const capabilities = attackTypeNames.map((attackType) => ({
    attackType,
    targeting: 'Host',
    missingReason: '',
  }))
  const tags = Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [`tag-${at}`, `value-${index % (at * 10 + 2)}`]),
  )
  const host = {
    identifier: `host-${index}`,
    instanceId: randomUUID(),
    bootId: randomUUID(),
    version: '0.1.0',
    address: '10.0.0.1',
    inventory: { tags, capabilities, containers: [], limits: null, facts: null },
  }
  await openHosts(redis).claim(teamId, host, dayMs)
}

async function addEvent(redis: Redis, index: number): Promise<void> {
  const event = ['attack', randomUUID(), 'execution', randomUUID(), 'stage', 'Pending', 'at', index]
  await redis.xadd(keys.events(teamId), 'MAXLEN', '~', 10_000, '*', ...event)
}

/** On these hosts, as it is when it has come to its end. */
async function addAttack(redis: Redis, exact: readonly string[]): Promise<void> {
  const request: Parameters<Attacks['create']>[0] = {
    teamId,
    type: 'cpu',
    args: ['-l', '60', '-p', '50'],
    params: { length: 60, percent: 50 },
    lengthSeconds: 60,
    target: readTarget({ type: 'Exact', exact: [...exact] }, null),
    createdBy: 'somebody@example.com',
    source: 'Api',
  }
  const result = await openAttacks(redis).create(request)
  if (result.kind !== 'created') throw new Error(`No attack: ${result.kind}`)
  const executions = openExecutions(redis)
  const [found = []] = await executions.ofAttacks(teamId, [result.attackId])
  const end = { reason: 'agent_restarted', message: 'The agent was started again.' } as const
  for (const execution of found) await executions.end(teamId, execution, end)
}

async function addSession(redis: Redis): Promise<void> {
  const session = {
    userId: randomUUID(),
    email: 'somebody@example.com',
    companyId: randomUUID(),
    teamId,
    epoch: 0,
    amr: 'password',
    hasSecondFactor: false,
    endsMs: Date.now() + dayMs,
  } as const
  const hashes = { tokenHash: randomUUID(), renewHash: randomUUID(), expiresMs: session.endsMs }
  await openSessions(redis).open(session, hashes)
}
