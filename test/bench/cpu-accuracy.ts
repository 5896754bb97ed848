import { setTimeout as sleep } from 'node:timers/promises'
import {
  capacityCores,
  findCpuGroups,
  groupCpuSeconds,
  hostCores,
  type CpuGroups,
} from '../../agent/host/control-groups.ts'
import { cpuSeconds } from '../../agent/host/processes.ts'
import { processesWithArgument } from '../../deploy/demo/cpu-counters.ts'
import { createAttack, type CreateAttackBody } from '../../shared/api/attacks.ts'
import { listExecutions } from '../../shared/api/executions.ts'
import { haltAttack } from '../../shared/api/halts.ts'
import { isTerminal, type Stage } from '../../shared/stages.ts'
import { until } from '../support/until.ts'
import { decimal, goal } from './figures.ts'
import type { BenchContext, Group } from './group.ts'
import { foreignCell, type ForeignCpu, watchForeignCpu } from './machine.ts'
import type { Rig } from './rig.ts'
import { startStressNg } from './stress-ng.ts'

const askedPercents = [10, 25, 50, 75, 100]
const goalPoints = 1
/** Left out of the measurement: both tools find their pace in it. */
const settleMs = 400
/** A load that nobody ends is over after so much more than its measurement. */
const spareSeconds = 15

/** Where CPU is burnt. */
interface Place {
  readonly name: string
  readonly capacity: number
  readonly groups: CpuGroups | undefined
  attack(percent: number, lengthSeconds: number): CreateAttackBody
}

interface Burnt {
  /** Percent of the place's capacity. */
  readonly asked: number
  readonly percent: number
  readonly foreign: ForeignCpu
}

/** Asked against burnt, seen from outside, beside stress-ng asked for the same in the same place. */
export const measureCpu: Group = async (context) => {
  const rig = await context.rig()
  const seconds = context.isQuick ? 3 : 6
  const rows = [
    [
      'PLACE',
      'ASKED %',
      'BURNT %',
      'OFF',
      `GOAL ±${goalPoints}`,
      'STRESS-NG ASKED %',
      'BURNT %',
      'OFF',
      'FOREIGN CORES',
    ],
  ]
  for (const place of placesOf(rig))
    for (const asked of askedPercents) {
      context.signal.throwIfAborted()
      context.say(`  ${place.name}: ${asked} %`)
      const ours = await burnWithTemblor(rig, place, asked, seconds, context)
      const theirs = await burnWithStressNg(rig, place, asked, seconds)
      rows.push([place.name, ...cellsOf(ours, theirs)])
    }
  return {
    title: `CPU: asked and burnt, in percent of the capacity of the place (${seconds} s each)`,
    rows,
    notes: [
      'Read from the kernel: threads of the burner on the host, usage of the control group in the container.',
      'stress-ng takes whole percents of a core; OFF is against what it was asked.',
    ],
    missing: typeof rig.target === 'string' ? [`in a container: ${rig.target}`] : [],
  }
}

function cellsOf(ours: Burnt, theirs: Burnt): string[] {
  const off = ours.percent - ours.asked
  return [
    decimal(ours.asked, 0),
    decimal(ours.percent, 2),
    signed(off),
    goal('', Math.abs(off) <= goalPoints).trim(),
    decimal(theirs.asked, 0),
    decimal(theirs.percent, 2),
    signed(theirs.percent - theirs.asked),
    foreignCell(ours.foreign, theirs.foreign),
  ]
}

function placesOf(rig: Rig): Place[] {
  const host: Place = {
    name: 'host',
    capacity: hostCores(),
    groups: undefined,
    attack: (percent, seconds) => ({
      command: { type: 'cpu', args: ['-l', String(seconds), '-a', '-p', String(percent)] },
      target: { type: 'Exact', exact: [rig.stack.agent.identifier] },
    }),
  }
  if (typeof rig.target === 'string') return [host]
  const groups = findCpuGroups(rig.target.initPid)
  const capacity = capacityCores(groups)
  const container: Place = {
    name: `container, ${capacity} CPU`,
    capacity,
    groups,
    attack: (percent, seconds) => ({
      command: { type: 'cpu', args: ['-l', String(seconds), '-p', String(percent)] },
      target: { type: 'Exact', exact: [rig.stack.agent.identifier] },
      labels: { ...rig.label },
    }),
  }
  return [host, container]
}

async function burnWithTemblor(
  rig: Rig,
  place: Place,
  asked: number,
  seconds: number,
  { signal }: BenchContext,
): Promise<Burnt> {
  const body = place.attack(asked, seconds + spareSeconds)
  const id = await rig.api.call(createAttack, { body })
  try {
    const [execution] = await until(
      'the attack runs',
      async () => {
        const found = await rig.api.call(listExecutions, { query: { taskId: id } })
        return found.every(({ stage }) => stage === 'Running') && found
      },
      15_000,
      150,
    )
    const [pid] = processesWithArgument(execution?.guid ?? 'no execution')
    if (pid === undefined) throw new Error('The burner is not there.')
    const counter = () => (place.groups ? groupCpuSeconds(place.groups) : cpuSeconds(pid))
    return { asked, ...(await measure(counter, place.capacity, seconds)) }
  } finally {
    await rig.api.call(haltAttack, { params: { guid: id } })
    await untilOver(rig, id)
    signal.throwIfAborted()
  }
}

async function untilOver(rig: Rig, id: string): Promise<void> {
  await until(
    'the attack is over',
    async () => {
      const found = await rig.api.call(listExecutions, { query: { taskId: id } })
      return found.every(({ stage }) => isTerminal(stage as Stage))
    },
    15_000,
    150,
  )
}

async function burnWithStressNg(
  rig: Rig,
  place: Place,
  percent: number,
  seconds: number,
): Promise<Burnt> {
  const workers = Math.ceil(place.capacity)
  const loadPercent = Math.round((percent * place.capacity) / workers)
  const burner = await startStressNg({
    workers,
    loadPercent,
    seconds: seconds + spareSeconds,
    groupFolders: place.groups?.join.map(({ folder }) => folder) ?? [],
    logDir: rig.dir,
  })
  try {
    const { groups, capacity } = place
    const counter = () => (groups ? groupCpuSeconds(groups) : burner.cpuSeconds())
    const asked = (loadPercent * workers) / capacity
    return { asked, ...(await measure(counter, capacity, seconds)) }
  } finally {
    await burner.stop()
  }
}

async function measure(
  counter: () => number | undefined,
  capacity: number,
  seconds: number,
): Promise<{ percent: number; foreign: ForeignCpu }> {
  await sleep(settleMs)
  const foreign = watchForeignCpu()
  const [from, at] = [counter(), performance.now()]
  await sleep(seconds * 1000)
  const [to, lasted] = [counter(), (performance.now() - at) / 1000]
  if (from === undefined || to === undefined) throw new Error('The load ended before its time.')
  return { percent: (100 * (to - from)) / lasted / capacity, foreign: foreign() }
}

function signed(points: number): string {
  return `${points < 0 ? '' : '+'}${points.toFixed(2)}`
}
