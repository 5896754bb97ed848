import { decimal, goal, ratio, spreadOf } from './figures.ts'
import type { Table } from './group.ts'
import type { DelaySeen } from './network-accuracy.ts'
import type { Carried } from './network-carried.ts'
import type { AttackTimes, InForceTimes } from './network-in-force.ts'

/** What the caller knows about a table: its heading, and the last cell of its rows. */
export interface TableFrame {
  readonly title: string
  readonly notes: readonly string[]
  readonly foreign: string
}

const goalLostPercent = 0

/** The three cells of a spread. */
export function spreadCells(values: readonly number[]): string[] {
  const { p50, p95, max } = spreadOf(values)
  return [p50, p95, max].map((value) => decimal(value))
}

export function inForceTable(times: InForceTimes, frame: TableFrame): Table {
  const floor = spreadOf(times.nft).p50
  const row = (name: string, values: readonly number[]) => [
    name,
    ...spreadCells(values),
    decimal(floor),
    ratio(spreadOf(values).p50, floor),
    frame.foreign,
  ]
  const rows = (type: string, all: readonly AttackTimes[]) => [
    row(
      `${type}: request → first packet hit`,
      all.map(({ inForce }) => inForce),
    ),
    row(
      `${type}: request → Running, says the agent`,
      all.map(({ running }) => running),
    ),
    row(
      `${type}: halt → first packet spared`,
      all.map(({ gone }) => gone),
    ),
    row(
      `${type}: halt → over, says the agent`,
      all.map(({ over }) => over),
    ),
  ]
  return {
    ...frame,
    rows: [
      ['FROM → UNTIL', 'P50', 'P95', 'MAX', 'NFT P50', 'RATIO', 'FOREIGN CORES'],
      ...rows('blackhole', times.blackhole),
      ...rows('latency', times.latency),
      ['floor: nft list ruleset', ...spreadCells(times.nft), '-', '-', frame.foreign],
      ['floor: node -e ""', ...spreadCells(times.node), '-', '-', frame.foreign],
    ],
    missing: [],
  }
}

/** Attacks beside the other way, if there is one. */
export function accuracyTable(seen: readonly DelaySeen[], frame: TableFrame): Table {
  const [ours, other] = [...new Set(seen.map(({ way }) => way))]
  const find = (askedMs: number, way = '') =>
    seen.find((one) => one.askedMs === askedMs && one.way === way)
  const asked = [...new Set(seen.map(({ askedMs }) => askedMs))]
  const cells = (askedMs: number) => {
    const [own, theirs] = [find(askedMs, ours), find(askedMs, other)]
    if (!own) return []
    const [{ p50, p99 }, { normal, delayed }] = [addedTo(own), own]
    const beside = theirs ? addedTo(theirs) : undefined
    return [
      String(askedMs),
      decimal(p50, 2),
      decimal(p50 - askedMs, 2),
      decimal(p99, 2),
      ...(beside
        ? [decimal(beside.p50, 2), decimal(beside.p99, 2), (p50 / beside.p50).toFixed(2)]
        : []),
      decimal(normal.p50, 2),
      decimal(normal.p99, 2),
      String(delayed.lost),
      frame.foreign,
    ]
  }
  const besides = other ? [`${other.toUpperCase()} P50`, 'P99', 'RATIO P50'] : []
  const head = ['ASKED MS', 'ADDED P50', 'OFF', 'ADDED P99', ...besides]
  return {
    ...frame,
    rows: [[...head, 'NORMAL P50', 'P99', 'LOST', 'FOREIGN CORES'], ...asked.map(cells)],
    missing: [],
  }
}

function addedTo({ delayed, normal }: DelaySeen): { p50: number; p99: number } {
  return { p50: delayed.p50 - normal.p50, p99: delayed.p99 - normal.p50 }
}

/** Attacks beside no fault, beside what the send buffer allows, and beside the other way. */
export function carriedTable(found: readonly Carried[], frame: TableFrame): Table {
  const none = found.find(({ delayMs }) => delayMs === 0)
  const bareOf = ({ way, delayMs }: Carried) =>
    delayMs === 0 ? undefined : found.find((one) => one.delayMs === delayMs && one.way !== way)
  const hasBare = found.some((one) => bareOf(one) !== undefined)
  const [ours] = found.map(({ way }) => way)
  const row = (one: Carried) => {
    const { delayMs, way, megabits, packets } = one
    const bare = way === ours ? bareOf(one) : undefined
    const flows = megabits.flatMap((value, index) => [
      decimal(value, 0),
      share(value, none?.megabits[index]),
      ...(hasBare ? [share(value, bare?.megabits[index])] : []),
    ])
    const allowed = delayMs === 0 ? '-' : decimal((one.sendBuffer * 8) / 1000 / delayMs, 0)
    const lostPercent = 100 * (1 - packets.arrived / packets.sent)
    return [
      delayMs === 0 ? 'no fault' : `${way}, ${delayMs} ms`,
      allowed,
      ...flows,
      String(packets.perSecond),
      decimal(lostPercent, 2),
      goal('', lostPercent <= goalLostPercent).trim(),
      frame.foreign,
    ]
  }
  const flowsHead = (flows: string) => [flows, 'OF NO FAULT', ...(hasBare ? ['OF BARE'] : [])]
  return {
    ...frame,
    rows: [
      [
        'WITH',
        'BUFFER ALLOWS A FLOW',
        ...flowsHead('1 FLOW'),
        ...flowsHead('8 FLOWS'),
        'PACKETS/S',
        'LOST %',
        `GOAL ${goalLostPercent}`,
        'FOREIGN CORES',
      ],
      ...found.map(row),
    ],
    missing: [],
  }
}

function share(value: number, of: number | undefined): string {
  return of === undefined ? '-' : `${(value / of).toFixed(2)}x`
}
