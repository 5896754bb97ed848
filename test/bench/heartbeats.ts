import type { Hosts } from '../../controller/store/hosts.ts'
import type { Redis } from '../../controller/store/redis.ts'
import { decimal, goal, ratio } from './figures.ts'
import type { Table } from './group.ts'
import { inside, type Inside } from './inside-redis.ts'
import { foreignCell, watchForeignCpu } from './machine.ts'

/** So many heartbeats a script, as the controller does it. */
const beatsAtOnce = 250
const leaseMs = 600_000

interface Rig {
  readonly redis: Redis
  readonly hosts: Hosts
  readonly teamId: string
  /** The hosts are called h0, h1 ... */
  readonly count: number
}

/** Heartbeats of many hosts in one script, beside a bare ZADD of as many leases. */
export async function measureBeats({ redis, hosts, teamId, count }: Rig): Promise<Table> {
  const foreign = watchForeignCpu()
  const turns = 60
  let turn = 0
  const batch = () => {
    turn += 1
    return Array.from({ length: beatsAtOnce }, (_, i) => ({
      identifier: `h${(turn * beatsAtOnce + i) % count}`,
      epoch: 1,
      leaseMs,
      running: [],
    }))
  }
  const script = await inside(redis, 'evalsha', turns, () => hosts.refresh(teamId, batch()))
  const floor = await inside(redis, 'zadd', turns, () =>
    redis.zadd('floor', ...batch().flatMap(({ identifier }) => [turn, identifier])),
  )
  const row = (name: string, one: Inside, judged: string, cpuRatio: string) => {
    const cells = [one.p50 / 1_000, one.p99 / 1_000, one.cpu / 1_000, one.cpu / beatsAtOnce]
    return [name, ...cells.map((value) => decimal(value, 2)), cpuRatio, judged]
  }
  const judged = goal('P99 ≤ 5', script.p99 <= 5_000)
  return {
    title: `Heartbeats: ${beatsAtOnce} hosts a script, ms inside Redis (n = ${turns})`,
    rows: [
      ['', 'P50', 'P99', 'CPU MEAN', 'CPU µs A HOST', 'RATIO', 'GOAL', 'FOREIGN CORES'],
      [...row('one script', script, judged, ratio(script.cpu, floor.cpu)), foreignCell(foreign())],
      [...row('floor: one ZADD', floor, '-', '-'), ''],
    ],
    notes: ['The script also compares sessions, writes records and looks for orders that wait.'],
    missing: [],
  }
}
