import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openGathered, type Gathered } from '../../controller/agents/gathered.ts'
import { openExecutions, type AgentWord } from '../../controller/store/executions.ts'
import type { Stage } from '../../shared/stages.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { reportWord } from '../support/report-word.ts'
import { scriptCalls } from '../support/script-calls.ts'
import { targetingRig } from '../support/targeting-rig.ts'

const hosts = Array.from({ length: 40 }, (_, at) => `h${at}`)
const isOver = () => false

let test: TestRedis
let rig: ReturnType<typeof targetingRig>
let gathered: Gathered
let ids: Map<string, string>
beforeAll(async () => {
  test = await startTestRedis()
})
afterAll(() => test[Symbol.asyncDispose]())
beforeEach(async () => {
  rig = targetingRig(test.redis)
  for (const host of hosts) await rig.claim(host)
  const created = await rig.create({ type: 'Random', percent: 100 })
  if (created.kind !== 'created') throw new Error(created.kind)
  const executions = await rig.executionsOf(created.attackId)
  ids = new Map(executions.map(({ host, id }) => [host, id]))
  gathered = openGathered(openExecutions(test.redis))
})

/** How many scripts that takes, and what came of it. */
async function scriptsOf<T>(work: () => Promise<T>): Promise<{ scripts: number; result: T }> {
  const before = (await scriptCalls(test.redis)).count
  const result = await work()
  return { scripts: (await scriptCalls(test.redis)).count - before, result }
}

function report(host: string, seq: number, stage: Stage, value?: number): AgentWord {
  const measured =
    value === undefined ? undefined : { metric: 'cpu', value, unit: 'percent', detail: {} }
  return reportWord({ host, executionId: ids.get(host) ?? '', seq, stage, measured })
}

const say = (word: AgentWord, isOnlyFigures = false) =>
  gathered.words.add(rig.teamId, { word, isOnlyFigures, isOver }, !isOnlyFigures)

const ask = (host: string) => gathered.orders.add(rig.teamId, { host, isOver })
const allRun = () => Promise.all(hosts.map((host) => say(report(host, 1, 'Running'))))

describe('what the agents of a team say at once', () => {
  it('is written in two steps, of which the first goes at once', async () => {
    const { scripts, result } = await scriptsOf(allRun)
    expect(scripts).toBe(2)
    expect(new Set(result)).toEqual(new Set(['moved']))
    expect((await scriptsOf(() => say(report('h0', 2, 'TearingDown')))).scripts).toBe(1)
  })

  it('is judged one by one: a session that is over spoils nothing for the others', async () => {
    await rig.claim('h3')
    const results = await allRun()
    expect(results.filter((result) => result === 'moved')).toHaveLength(hosts.length - 1)
    expect(results[3]).toBe('outdated')
    const stages = hosts.map(async (host) => {
      const id = ids.get(host) ?? ''
      return (await openExecutions(test.redis).find(rig.teamId, id))?.stage
    })
    expect((await Promise.all(stages)).indexOf('Pending')).toBe(3)
  })

  it('keeps the newest figures of those that wait, and each stage', async () => {
    const said = await Promise.all([
      say(report('h0', 1, 'Running')),
      say(report('h1', 1, 'Running')),
      say(report('h1', 2, 'Running', 10), true),
      say(report('h1', 3, 'Running', 20), true),
      say(report('h1', 4, 'TearingDown')),
    ])
    expect(said).toEqual(['moved', 'moved', 'superseded', 'figures', 'moved'])
    const series = await openExecutions(test.redis).series(rig.teamId, ids.get('h1') ?? '')
    expect(series.map(({ value }) => value)).toEqual([20])
  })

  it('finds the orders of many hosts in two steps, each with its own', async () => {
    const { scripts, result } = await scriptsOf(() => Promise.all([...hosts, 'nobody'].map(ask)))
    expect(scripts).toBe(2)
    const found = result.map(({ orders }) => orders.map(({ executionId }) => executionId))
    expect(found).toEqual([...hosts.map((host) => [ids.get(host)]), []])
  })
})
