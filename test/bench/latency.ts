import { setTimeout as sleep } from 'node:timers/promises'
import { createAttack } from '../../shared/api/attacks.ts'
import { listExecutions } from '../../shared/api/executions.ts'
import { haltAttack } from '../../shared/api/halts.ts'
import { startBareWorker, startFloorServer, timeBareStart } from './bare.ts'
import { decimal, ratio, spreadOf } from './figures.ts'
import type { Group } from './group.ts'
import { foreignCell, watchForeignCpu } from './machine.ts'
import type { Rig } from './rig.ts'
import {
  identityOf,
  presentProcesses,
  untilBurning,
  untilGone,
  untilStarted,
  watchJournal,
} from './watch-burner.ts'

/** Between the steps, so that each is measured alone, on a service at rest. */
const pauseMs = 150
const lengthSeconds = 30

/** One attack from the request to its end, in milliseconds. */
interface AttackTimes {
  readonly answered: number
  readonly journalled: number
  readonly burning: number
  /** As the agent reports it, from its own clock. */
  readonly reportedRunning: number
  readonly haltAnswered: number
  readonly gone: number
}

/** What the same steps take at the least, in milliseconds. */
interface FloorTimes {
  readonly kept: number
  readonly nodeStart: number
  readonly workerBurning: number
  readonly workerGone: number
}

/** Request until the agent has it and until the fault is there; halt until it is gone. */
export const measureLatency: Group = async (context) => {
  const rig = await context.rig()
  const count = context.isQuick ? 5 : 20
  const floor = await startFloorServer(rig.stack.redisUrl, rig.dir)
  const attacks: AttackTimes[] = []
  const floors: FloorTimes[] = []
  const foreign = watchForeignCpu()
  try {
    // The first of each runs code for the first time and is not counted.
    for (let i = 0; i <= count; i += 1) {
      context.signal.throwIfAborted()
      context.say(`  attack ${i} of ${count}`)
      attacks.push(await timeAttack(rig))
      floors.push(await timeFloors(floor.baseUrl))
    }
  } finally {
    await floor.stop()
  }
  return {
    title: `Latency in ms, seen from outside (n = ${count}, cpu attack on this host, one at a time)`,
    rows: rowsOf(attacks.slice(1), floors.slice(1), foreignCell(foreign())),
    notes: [
      'Request and halt: bare fastify that answers after one fsynced Redis SET is the floor.',
      'Fault there: that POST and a bare Node process whose worker thread begins to burn. Gone: that POST and a SIGKILL of it.',
    ],
    missing: [],
  }
}

function rowsOf(
  attacks: readonly AttackTimes[],
  floors: readonly FloorTimes[],
  foreign: string,
): string[][] {
  const keep = ['POST + SET', floors.map(({ kept }) => kept)] as const
  const start = ['POST + SET, worker', floors.map((one) => one.kept + one.workerBurning)] as const
  const kill = ['POST + SET, SIGKILL', floors.map((one) => one.kept + one.workerGone)] as const
  const row = (
    name: string,
    values: readonly number[],
    [floorName, floorValues]: readonly [string, readonly number[]],
  ) => {
    const [own, floor] = [spreadOf(values), spreadOf(floorValues)]
    const cells = [own.p50, own.p95, own.max].map((value) => decimal(value))
    return [name, ...cells, floorName, decimal(floor.p50), ratio(own.p50, floor.p50), foreign]
  }
  const bare = (name: string, values: readonly number[]) => {
    const { p50, p95, max } = spreadOf(values)
    return [name, ...[p50, p95, max].map((value) => decimal(value)), '-', '-', '-', foreign]
  }
  const of = (key: keyof AttackTimes) => attacks.map((one) => one[key])
  const floorOf = (key: keyof FloorTimes) => floors.map((one) => one[key])
  return [
    ['FROM → UNTIL', 'P50', 'P95', 'MAX', 'FLOOR', 'P50', 'RATIO', 'FOREIGN CORES'],
    row('request → answered (201)', of('answered'), keep),
    row('request → agent has journalled it', of('journalled'), keep),
    row('request → first CPU burnt', of('burning'), start),
    row('request → Running, says the agent', of('reportedRunning'), start),
    row('halt → answered (202)', of('haltAnswered'), keep),
    row('halt → burner gone', of('gone'), kill),
    bare('floor: POST + SET, answered', floorOf('kept')),
    bare('floor: node -e "", start to end', floorOf('nodeStart')),
    bare('floor: node with a worker → burns', floorOf('workerBurning')),
    bare('floor: SIGKILL of it → gone', floorOf('workerGone')),
  ]
}

async function timeAttack({ api, stack, agentDir }: Rig): Promise<AttackTimes> {
  await sleep(pauseMs)
  const before = presentProcesses()
  const watch = watchJournal(agentDir)
  try {
    const [requestedAt, requestedEpoch] = [performance.now(), Date.now()]
    const answer = api.call(createAttack, {
      body: {
        command: { type: 'cpu', args: ['-l', String(lengthSeconds), '-p', '50'] },
        target: { type: 'Exact', exact: [stack.agent.identifier] },
      },
    })
    const answered = answer.then(() => performance.now())
    // Both may come first; neither may stay unheard when the other fails.
    const [{ at: journalledAt, executionId }] = await Promise.all([watch.journalled, answer])
    const burner = identityOf(await untilStarted(executionId, before))
    const burningAt = await untilBurning(burner.pid)
    await sleep(pauseMs)
    const guid = await answer
    const [execution] = await api.call(listExecutions, { query: { taskId: guid } })
    await sleep(pauseMs)
    const haltedAt = performance.now()
    const haltAnswer = api.call(haltAttack, { params: { guid } }).then(() => performance.now())
    const [goneAt, haltAnsweredAt] = await Promise.all([untilGone(burner), haltAnswer])
    const running = execution?.client_states.find(({ stage }) => stage === 'Running')
    return {
      answered: (await answered) - requestedAt,
      journalled: journalledAt - requestedAt,
      burning: burningAt - requestedAt,
      reportedRunning: Date.parse(running?.timestamp ?? '') - requestedEpoch,
      haltAnswered: haltAnsweredAt - haltedAt,
      gone: goneAt - haltedAt,
    }
  } finally {
    watch.close()
  }
}

async function timeFloors(baseUrl: string): Promise<FloorTimes> {
  await sleep(pauseMs)
  const requestedAt = performance.now()
  const answer = await fetch(`${baseUrl}/keep`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ command: { type: 'cpu' }, target: { type: 'Exact', exact: ['host'] } }),
  })
  await answer.text()
  const kept = performance.now() - requestedAt
  await sleep(pauseMs)
  const nodeStart = await timeBareStart()
  await sleep(pauseMs)
  const startedAt = performance.now()
  const worker = startBareWorker()
  try {
    const identity = identityOf(worker.pid)
    const workerBurning = (await untilBurning(identity.pid)) - startedAt
    await sleep(pauseMs)
    const killedAt = performance.now()
    worker.kill('SIGKILL')
    return { kept, nodeStart, workerBurning, workerGone: (await untilGone(identity)) - killedAt }
  } finally {
    worker.kill('SIGKILL')
  }
}
