import { afterAll, beforeAll, expect, test } from 'vitest'
import { stages, type Stage, isTerminal } from '../../shared/stages.ts'
import type { ExecutionEvent } from '../../shared/api/events.ts'
import { openRedis, type Redis } from '../../controller/store/redis.ts'
import { startAgent, untilTargetable, type FurtherAgent } from '../support/agent.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'
import { watch, type Watcher } from '../support/sse.ts'
import { until } from '../support/until.ts'

let service: Service
let api: Api
let redis: Redis
let agents: FurtherAgent[] = []

/** The way of an execution that nobody halts. */
const way: Stage[] = [
  'Pending',
  'Distributed',
  'Initializing',
  'Running',
  'TearingDown',
  'Successful',
]
const everyHost = (flags: string) => cpuAttack(flags, { type: 'Random', percent: 100 })

beforeAll(async () => {
  service = await startService()
  api = service.owner
  redis = openRedis(service.local.redisUrl)
  agents = ['host-b', 'host-c'].map((name) => startAgent(name, service.local.join))
  for (const { identifier } of agents) await untilTargetable(api, identifier)
})
afterAll(async () => {
  redis?.disconnect()
  await Promise.all(agents.map((one) => one[Symbol.asyncDispose]()))
  await service?.[Symbol.asyncDispose]()
})

const byExecution = (moves: readonly ExecutionEvent[]) =>
  [...Map.groupBy(moves, (move) => move.execution_id).values()].map((list) =>
    list.map((move) => move.stage),
  )
const ids = (watcher: Watcher) =>
  watcher.events.filter((one) => one.name === 'execution').map((one) => one.id)
/** Whether no stage of this way comes before the one that was told before it. */
const isForward = (told: readonly Stage[]) =>
  told.every((stage, at) => at === 0 || way.indexOf(stage) >= way.indexOf(told[at - 1] ?? stage))

test('an attack is told from where it stands to its end, in order, then end, then nothing', async () => {
  const id = await api.attack(everyHost('-l 2 -p 1'))
  using watcher = await watch(api, `/attacks/${id}/events`)
  expect(watcher.status).toBe(200)
  expect(watcher.headers['content-type']).toMatch(/^text\/event-stream/)
  expect(watcher.headers['cache-control']).toMatch(/no-(store|cache)/)
  await watcher.untilEnd()
  const moves = watcher.moves()
  expect(moves.every((move) => move.attack_id === id && move.attack.guid === id)).toBe(true)
  expect(moves.every((move) => move.execution.guid === move.execution_id)).toBe(true)
  const told = byExecution(moves)
  expect(told.length).toBe(3)
  for (const list of told) {
    expect(isForward(list)).toBe(true)
    expect(list).toEqual(expect.arrayContaining(['Running', 'Successful']))
  }
  expect(watcher.events.at(-1)).toMatchObject({
    name: 'end',
    data: { guid: id, stage: 'Successful', execution_stage_summary: { Successful: 3 } },
  })
  expect(watcher.events.filter((one) => one.name === 'end').length).toBe(1)
})

test('who comes later is told first where each execution stands', async () => {
  const id = await api.attack(everyHost('-l 60 -p 1'))
  await api.running(id)
  using watcher = await watch(api, `/attacks/${id}/events`)
  await until('the snapshot', () => watcher.moves().length >= 3)
  const rows = await api.executions(id)
  const first = watcher.moves().slice(0, 3)
  expect(first.map((move) => move.stage)).toEqual(['Running', 'Running', 'Running'])
  expect(new Set(first.map((move) => move.execution_id))).toEqual(
    new Set(rows.map((row) => row.guid)),
  )
  expect(watcher.ended()).toBe(false)
  await api.halt(id)
  await watcher.untilEnd()
  expect(watcher.events.at(-1)).toMatchObject({ name: 'end', data: { stage: 'UserHalted' } })
})

test('an attack that is over is told as it ended, and the stream ends at once', async () => {
  const id = await api.attack(everyHost('-l 1 -p 1'))
  await api.finished(id)
  using watcher = await watch(api, `/attacks/${id}/events`)
  await watcher.untilEnd(2_000)
  expect(byExecution(watcher.moves())).toEqual([['Successful'], ['Successful'], ['Successful']])
  expect(watcher.events.at(-1)).toMatchObject({ name: 'end', data: { guid: id } })
})

/** Looks again and again while short attacks run: what each watcher was told of each execution. */
async function lookOften(): Promise<Stage[][]> {
  const told: Stage[][] = []
  for (let round = 0; round < 3; round += 1) {
    // On a slow machine these are many: a session of its own has as many requests as are allowed.
    const looker = await service.signIn()
    const id = await api.attack(everyHost('-l 1 -p 1'))
    const opened: Promise<Watcher>[] = []
    const timer = setInterval(() => opened.push(watch(looker, `/attacks/${id}/events`)), 40)
    await api.finished(id)
    clearInterval(timer)
    const watchers = await Promise.all(opened)
    await Promise.all(watchers.map((one) => one.untilEnd()))
    expect(watchers.map((one) => one.events.at(-1)?.name)).toEqual(watchers.map(() => 'end'))
    expect(watchers.length).toBeGreaterThan(10)
    told.push(...watchers.flatMap((one) => byExecution(one.moves())))
  }
  return told
}

test('whenever one looks, no execution goes backwards', async () => {
  expect((await lookOften()).filter((list) => !isForward(list))).toEqual([])
})

test('whenever one looks, each execution is told to its end', async () => {
  const cut = (await lookOften()).filter((list) => !isTerminal(list.at(-1) ?? 'Pending'))
  expect(cut).toEqual([])
})

test('a halt of several hosts is told to the end of each before the stream ends', async () => {
  for (let round = 0; round < 6; round += 1) {
    const id = await api.attack(everyHost('-l 60 -p 1'))
    using watcher = await watch(api, `/attacks/${id}/events`)
    await api.running(id)
    await api.halt(id)
    await watcher.untilEnd()
    const told = byExecution(watcher.moves())
    expect(told.map((list) => list.at(-1))).toEqual(['UserHalted', 'UserHalted', 'UserHalted'])
  }
})

const laterMoves = (watcher: Watcher) =>
  watcher
    .moves()
    .filter((move) => move.stage !== 'Running')
    .map((move) => [move.execution_id, move.stage])

test('two watchers are told the same', async () => {
  const id = await api.attack(everyHost('-l 60 -p 1'))
  await api.running(id)
  using one = await watch(api, `/attacks/${id}/events`)
  using other = await watch(api, `/attacks/${id}/events`)
  for (const watcher of [one, other]) await until('the snapshot', () => watcher.moves().length >= 3)
  await api.halt(id)
  await Promise.all([one.untilEnd(), other.untilEnd()])
  expect(laterMoves(one)).toEqual(laterMoves(other))
  expect(laterMoves(one).length).toBeGreaterThan(0)
})

test('Last-Event-ID gives exactly what was missed', async () => {
  using whole = await watch(api, '/events')
  const id = await api.attack(everyHost('-l 1 -p 1'))
  await api.finished(id)
  await until('all is told', () => whole.moves().filter((one) => isTerminal(one.stage)).length >= 3)
  const all = ids(whole)
  expect(all.every((one) => /^\d+-\d+$/.test(one ?? ''))).toBe(true)
  expect(new Set(all).size).toBe(all.length)
  for (const at of [0, 1, Math.floor(all.length / 2), all.length - 2, all.length - 1]) {
    const headers = { 'last-event-id': all[at] ?? '' }
    using resumed = await watch(api, `/attacks/${id}/events`, headers)
    await resumed.untilEnd(5_000)
    expect(ids(resumed)).toEqual(all.slice(at + 1))
    expect(resumed.events.at(-1)?.name).toBe('end')
    using team = await watch(api, '/events', headers)
    await until('the missed events', () => ids(team).length >= all.length - at - 1)
    expect(ids(team)).toEqual(all.slice(at + 1))
  }
})

test('a stream that broke off in the middle goes on with nothing lost and nothing twice', async () => {
  const id = await api.attack(everyHost('-l 60 -p 1'))
  using whole = await watch(api, `/events`, { 'last-event-id': '0-1' })
  await api.running(id)
  using broken = await watch(api, `/attacks/${id}/events`)
  await until('the snapshot', () => broken.moves().length >= 3)
  broken.close()
  const last = broken.events.at(-1)?.id ?? ''
  await api.halt(id)
  using resumed = await watch(api, `/attacks/${id}/events`, { 'last-event-id': last })
  await resumed.untilEnd()
  const isLast = (one: ExecutionEvent) => one.attack_id === id && isTerminal(one.stage)
  await until('all is told', () => whole.moves().filter(isLast).length >= 3)
  const expected = whole.events.filter(
    (one) => (one.data as ExecutionEvent).attack_id === id && isAfter(one.id ?? '', last),
  )
  expect(ids(resumed)).toEqual(expected.map((one) => one.id))
  for (const list of byExecution(resumed.moves())) expect(list.at(-1)).toBe('UserHalted')
})

test('the events of a team are those of all its attacks, from now on, and do not end', async () => {
  const before = await api.attack(everyHost('-l 1 -p 1'))
  await api.finished(before)
  using watcher = await watch(api, '/events')
  const [first, second] = await Promise.all([
    api.attack(everyHost('-l 1 -p 1')),
    api.attack(everyHost('-l 1 -p 1')),
  ])
  await Promise.all([api.finished(first), api.finished(second)])
  await until('both are told', () => watcher.moves().filter((m) => isTerminal(m.stage)).length >= 6)
  const told = new Set(watcher.moves().map((move) => move.attack_id))
  expect(told).toEqual(new Set([first, second]))
  for (const list of byExecution(watcher.moves())) {
    expect(isForward(list)).toBe(true)
    expect(list).toEqual(expect.arrayContaining(['Initializing', 'Running', 'Successful']))
  }
  expect(watcher.ended()).toBe(false)
  expect(watcher.moves().every((move) => stages.includes(move.stage))).toBe(true)
})

test('an id that is none is refused, and one that cannot be leaves no stream open for nothing', async () => {
  const id = await api.attack(everyHost('-l 1 -p 1'))
  await api.finished(id)
  for (const header of ['x', '1', '1-', '-1-1', '1-1-1', '$', '*', '0x1-0'])
    for (const path of ['/events', `/attacks/${id}/events`]) {
      const answer = await api.send('GET', path, { headers: { 'last-event-id': header } })
      expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
    }
})

test('an id beyond what can be is refused or told as the last', async () => {
  const id = await api.attack(everyHost('-l 1 -p 1'))
  await api.finished(id)
  using watcher = await watch(api, `/attacks/${id}/events`, {
    'last-event-id': '99999999999999999999-99999999999999999999',
  })
  if (watcher.status !== 400) await watcher.untilEnd(3_000)
  expect([200, 400]).toContain(watcher.status)
})

const connections = async () =>
  String(await redis.client('LIST'))
    .trim()
    .split('\n').length

test('watchers that leave take their connections to Redis with them', async () => {
  const id = await api.attack(everyHost('-l 60 -p 1'))
  const before = await connections()
  for (let round = 0; round < 5; round += 1) {
    const opened = await Promise.all(
      ['/events', `/attacks/${id}/events`, '/events', `/attacks/${id}/events`].map((path) =>
        watch(api, path),
      ),
    )
    for (const watcher of opened) watcher.close()
  }
  await until('the connections are gone', async () => (await connections()) <= before, 8_000)
  expect(await connections()).toBeLessThanOrEqual(before)
  await api.halt(id)
  await api.finished(id)
})

test('a watcher does not hold up the end of the service', async () => {
  await using other = await startService()
  using _watcher = await watch(other.owner, '/events')
  const since = performance.now()
  await other.stop()
  expect(performance.now() - since).toBeLessThan(15_000)
})

function isAfter(id: string, other: string): boolean {
  const [ms = 0, seq = 0] = id.split('-').map(Number)
  const [otherMs = 0, otherSeq = 0] = other.split('-').map(Number)
  return ms > otherMs || (ms === otherMs && seq > otherSeq)
}
