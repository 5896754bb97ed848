import { randomInt, randomUUID } from 'node:crypto'
import type { NewAttack } from '../../controller/store/attack-record.ts'
import { openAttacks } from '../../controller/store/attacks.ts'
import { creationRequest } from '../../controller/store/creation-request.ts'
import { openHosts, type Hosts } from '../../controller/store/hosts.ts'
import { keys } from '../../controller/store/keys.ts'
import { sourceOf, type Redis } from '../../controller/store/redis.ts'
import type { Inventory__Output } from '../../proto/gen/temblor/agent/v1/Inventory.ts'
import { readTarget } from '../../shared/targets.ts'
import { startTestRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { decimal, goal } from './figures.ts'
import type { BenchContext, Group, Table } from './group.ts'
import { measureBeats } from './heartbeats.ts'
import { inside } from './inside-redis.ts'
import { foreignCell, watchForeignCpu } from './machine.ts'

/** Hosts that left: they keep their slots, and must never be drawn. */
const goneShare = 0.05
const leaseMs = 600_000
/** Requests that are on their way at once while the hosts register. */
const atOnce = 500
/** What a draw may take inside Redis, µs. */
const goalUs = 100
/** Random numbers that a draw is sent, as the controller does it. */
const numbersSent = 19

type Tags = Readonly<Record<string, string>>

/** A host carries all of these: a tag of everybody, rarer ones, one of three hosts and one of its own. */
const tagsOf = (i: number): Tags => ({
  all: 'yes',
  half: String(i % 2),
  third: String(i % 3),
  tenth: String(i % 10),
  rack: String(Math.floor(i / 250)),
  trio: String(Math.floor(i / 3)),
  own: String(i),
})

const queries: readonly (readonly [string, Tags])[] = [
  ['no tags', {}],
  ['1 tag, all carry it', { all: 'yes' }],
  ['1 tag, half', { half: '0' }],
  ['1 tag, 250 hosts (a set)', { rack: '40' }],
  ['1 tag, 3 hosts', { trio: '100' }],
  ['2 tags, half and a third', { half: '0', third: '0' }],
  ['2 tags, half and 250 hosts', { half: '0', rack: '40' }],
  ['3 tags, 1 host in 30', { half: '0', third: '0', tenth: '0' }],
  ['4 tags, 1 host in 30', { all: 'yes', half: '0', third: '0', tenth: '4' }],
  ['4 tags, nobody', { half: '0', third: '0', tenth: '1', rack: '40' }],
  ['4 bitmaps, nobody', { all: 'yes', half: '0', third: '0', tenth: '1' }],
]

/** The creating script without its writing half. */
const drawing = `#!lua
-- @include creation
-- @include host-index
-- @include resolve-target
-- @include tag-groups
-- @include try-hosts
-- @include draw-hosts
local answer, rows = draw_hosts()
return answer and answer[1] or rows[1].host
`

/** Many draws a call: by trial among all, by joining bitmaps where tags are given. */
const drawingMany = `#!lua
-- @include creation
-- @include host-index
-- @include resolve-target
-- @include tag-groups
-- @include try-hosts
-- @include draw-hosts
local index = request.host_index
local few, many = tag_groups(index, request.hosts.tags)
local result = {}
for i = 1, tonumber(ARGV[2]) do
  if #many == 0 then
    result[i] = host_by_trial(index, few, many)
  else
    local pool = bit_pool(index, many)
    result[i] = redis.call('HGET', index, pool.take(next_number() % pool.size))
    redis.call('DEL', unpack(pool.made))
  end
end
return result
`

const floorScript = '#!lua\nreturn ARGV[1]\n'

interface Rig {
  readonly redis: Redis
  readonly hosts: Hosts
  readonly teamId: string
  readonly count: number
  /** Makes a script of the bench known, which is then called by its hash. */
  loaded(source: string): Promise<string>
  /** Runs it with the keys of the creating one. */
  run(sha: string, request: string, ...more: number[]): Promise<unknown>
}

/** Random draws among many hosts: time inside Redis, fairness; and heartbeats. */
export const measureTargeting: Group = async (context) => {
  const test = await startTestRedis()
  try {
    const teamId = randomUUID()
    const [redis, hosts] = [test.redis, openHosts(test.redis)]
    const count = context.isQuick ? 20_000 : 100_000
    const at = [keys.liveHosts(teamId)]
    const run = (sha: string, request: string, ...more: number[]) =>
      redis.evalsha(sha, 1, ...at, request, ...more)
    const loaded = async (source: string) => String(await redis.script('LOAD', source))
    const rig = { redis, hosts, teamId, count, run, loaded }
    await register(rig, context)
    return [
      await measureDraws(rig, context),
      await measureFairness(rig, context),
      await measureBeats(rig),
    ]
  } finally {
    await test[Symbol.asyncDispose]()
  }
}

async function inBatches(count: number, each: (i: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, count - from) }, (_, i) => each(from + i)),
    )
}

async function register({ redis, hosts, teamId, count }: Rig, context: BenchContext) {
  // Nothing of this is measured.
  await redis.config('SET', 'appendonly', 'no')
  const gone = Math.round(count * goneShare)
  context.say(`  ${count} hosts register, and ${gone} that leave`)
  await inBatches(count + gone, async (i) => {
    context.signal.throwIfAborted()
    await hosts.claim(teamId, claimOf(i), leaseMs)
    if (i >= count) await hosts.release(teamId, `h${i}`, 1)
  })
  await redis.config('SET', 'appendonly', 'yes')
  // While a child writes the file anew, each page that is written to is copied first.
  await until(
    'the file is written',
    async () => /aof_rewrite_in_progress:0/.test(await redis.info('persistence')),
    60_000,
  )
}

function claimOf(i: number): Parameters<Hosts['claim']>[1] {
  const inventory: Inventory__Output = {
    tags: tagsOf(i),
    containers: [],
    capabilities: [],
    limits: null,
    facts: null,
  }
  const boot = { instanceId: `i${i}`, bootId: `b${i}`, version: '1', address: '10.0.0.1:1' }
  return { identifier: `h${i}`, ...boot, controllerId: 'bench', inventory }
}

function attackOn({ teamId }: Rig, tags: Tags): NewAttack {
  const who = { createdBy: 'a@b.c', source: 'Api' } as const
  const what = { type: 'cpu', args: [], params: {}, lengthSeconds: 60 }
  return {
    teamId,
    ...what,
    target: readTarget({ type: 'Random', tags }, null),
    ...who,
    idempotency: undefined,
  }
}

function requestFor(rig: Rig, tags: Tags, numbers: number): string {
  const random = Array.from({ length: numbers }, () => randomInt(2 ** 47))
  const executionIds = [randomUUID()]
  return creationRequest(attackOn(rig, tags), { random, execution_ids: executionIds })
}

async function measureDraws(rig: Rig, context: BenchContext): Promise<Table> {
  const rows: string[][] = []
  const turns = context.isQuick ? 200 : 500
  let wrong = 0
  for (const [name, tags] of queries) {
    context.signal.throwIfAborted()
    context.say(`  ${name}`)
    const measured = await measureQuery(rig, tags, turns)
    rows.push([name, ...measured.cells])
    wrong += measured.wrong
  }
  const memory = Number(/used_memory:(\d+)/.exec(await rig.redis.info('memory'))?.[1]) / 1e6
  return {
    title: `Targeting: one host at random among ${rig.count}, µs inside Redis (n = ${turns})`,
    rows: [
      [
        'ASKED FOR',
        'DRAW P50',
        'P99',
        'GOAL',
        'CPU MEAN',
        'FLOOR P50',
        'P99',
        'CPU MEAN',
        'CREATION P50',
        'FOREIGN CORES',
      ],
      ...rows,
    ],
    notes: [
      'Draw: the creating script without its writing half; creation: all of it. Floor: a script that is given the same request and returns it.',
      'P50 and P99 are of the clock, also while others have the core; CPU is what it took, with what surrounds a script.',
      `Hosts drawn that do not carry the tags or are not live: ${wrong}. All of it takes ${decimal(memory, 0)} MB in Redis.`,
    ],
    missing: wrong > 0 ? [`${wrong} draws went wrong`] : [],
  }
}

async function measureQuery(rig: Rig, tags: Tags, turns: number) {
  const { redis } = rig
  const attacks = openAttacks(redis)
  const source = await rig.loaded(sourceOf(drawing))
  let wrong = 0
  const look = (host: string) => {
    const isThere = indexOf(host) < rig.count && carriesAll(tags, indexOf(host))
    if (host !== 'none' && !isThere) wrong += 1
  }
  const foreign = watchForeignCpu()
  const nothing = await rig.loaded(floorScript)
  const floor = await inside(redis, 'evalsha', turns, () =>
    rig.run(nothing, requestFor(rig, tags, numbersSent)),
  )
  const draw = await inside(redis, 'evalsha', turns, async () =>
    look(String(await rig.run(source, requestFor(rig, tags, numbersSent)))),
  )
  const whole = await inside(redis, 'evalsha', turns, async () => {
    const result = await attacks.create(attackOn(rig, tags))
    if (result.kind === 'created') for (const host of result.hosts) look(host)
    else look(result.kind)
  })
  const cells = [
    decimal(draw.p50, 0),
    decimal(draw.p99, 0),
    goal(`≤ ${goalUs}`, draw.p99 <= goalUs),
    ...[draw.cpu, floor.p50, floor.p99, floor.cpu, whole.p50].map((value) => decimal(value, 0)),
    foreignCell(foreign()),
  ]
  return { cells, wrong }
}

function indexOf(host: string): number {
  return Number(host.slice(1))
}

function carriesAll(tags: Tags, i: number): boolean {
  return Object.entries(tags).every(([key, value]) => tagsOf(i)[key] === value)
}

async function measureFairness(rig: Rig, context: BenchContext): Promise<Table> {
  const draws = context.isQuick ? 200_000 : 1_000_000
  context.say(`  ${draws} draws`)
  const foreign = watchForeignCpu()
  const all = await drawMany(rig, context, {}, draws)
  // Of 30 hosts in a row one carries these.
  const joined = { half: '0', third: '0', tenth: '0' }
  const rare = await drawMany(rig, context, joined, draws / 10)
  const fewDraws = draws / 50
  const source = await rig.loaded(sourceOf(drawing))
  const tags = { half: '0', rack: '40' }
  const few = new Map<unknown, number>()
  await inBatches(fewDraws, async () =>
    countOne(few, await rig.run(source, requestFor(rig, tags, numbersSent))),
  )
  const seen = foreignCell(foreign())
  const row = (name: string, counts: Map<unknown, number>, hosts: number) => {
    const made = [...counts.values()].reduce((sum, n) => sum + n, 0)
    const found = chiSquareOf([...counts.values()], hosts, made)
    const isFair = found > 0.8 && found < 1.2 + (hosts < 1_000 ? 0.2 : 0)
    return [name, String(made), String(hosts), decimal(found, 3), goal('0.8 to 1.2', isFair), seen]
  }
  return {
    title: 'Targeting: how evenly hosts are drawn (chi-square / degrees of freedom; fair is 1)',
    rows: [
      ['FROM', 'DRAWS', 'HOSTS', 'CHI²/DF', 'GOAL', 'FOREIGN CORES'],
      row('all, by trial', all, rig.count),
      row('1 in 30, three bitmaps made one', rare, Math.ceil(rig.count / 30)),
      row('half of 250, a set', few, 125),
    ],
    notes: ['With 125 hosts a fair ratio is between 0.76 and 1.27 in 95 of 100 runs.'],
    missing: [],
  }
}

/** Hosts by how often they were drawn. */
async function drawMany(rig: Rig, context: BenchContext, tags: Tags, draws: number) {
  const [many, perCall] = [await rig.loaded(sourceOf(drawingMany)), 250]
  const counts = new Map<unknown, number>()
  for (let i = 0; i < draws; i += perCall * 8) {
    context.signal.throwIfAborted()
    const calls = Array.from({ length: 8 }, () =>
      rig.run(many, requestFor(rig, tags, perCall * 2), perCall),
    )
    for (const host of (await Promise.all(calls)).flat()) countOne(counts, host)
  }
  return counts
}

function countOne(counts: Map<unknown, number>, host: unknown): void {
  counts.set(host, (counts.get(host) ?? 0) + 1)
}

function chiSquareOf(counts: readonly number[], hosts: number, draws: number): number {
  const expected = draws / hosts
  const seen = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
  return (seen + (hosts - counts.length) * expected) / (hosts - 1)
}
