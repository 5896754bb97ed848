import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../support/command.ts'
import { startGuest, type Guest } from '../support/guest/guest.ts'
import { projectDir } from '../support/guest/recipe.ts'
import type { BenchContext, Group } from './group.ts'
import { foreignCell, watchForeignCpu } from './machine.ts'
import type { DelaySeen } from './network-accuracy.ts'
import type { Carried } from './network-carried.ts'
import type { GuestRequest } from './network-guest-program.ts'
import type { InForceTimes } from './network-in-force.ts'
import { runSections } from './network-sections.ts'
import { accuracyTable, carriedTable, inForceTable } from './network-tables.ts'

/** Where the bench lies in a guest, beside links to the checkout on the guest's own disk. */
const benchDir = '/root/bench'
const linked = ['agent', 'shared', 'proto', 'node_modules', 'package.json']
const programs = [
  'test/bench/network-accuracy.ts',
  'test/bench/network-agent.ts',
  'test/bench/network-carried.ts',
  'test/bench/network-clock.ts',
  'test/bench/network-guest-program.ts',
  'test/bench/network-in-force.ts',
  'test/bench/network-lab.ts',
  'test/bench/network-probe.ts',
  'test/bench/network-ways.ts',
  'test/faults/namespace-pair.ts',
  'test/faults/network-traffic.ts',
]
const measureWithinMs = 420_000
/** An emulated processor takes its time: the delay is far above it, and packets are few. */
const inForce = { everyMs: 10, delayMs: 400, usualMs: 100 }
const packetsPerSecond = 1000

/** Latency by netem, in an emulated machine whose kernel has it, beside bare netem there. */
export const measureNetem: Group = async (context) => {
  context.say('  a guest starts')
  await using guest = await startGuest({ name: 'bench' })
  await putBench(guest)
  return await runSections(context, {
    'netem: until in force, until gone': () => timeFaults(guest, context),
    'netem: asked and measured': () => compareDelays(guest, context),
    'netem: TCP flows and packets': () => carry(guest, context),
  })
}

async function timeFaults(guest: Guest, { isQuick }: BenchContext) {
  const rounds = isQuick ? 2 : 5
  const foreign = watchForeignCpu()
  const times = await measureIn<InForceTimes>(guest, { inForce: { ...inForce, rounds } })
  return inForceTable(times, {
    title: `Guest: network faults in ms, seen by packets (n = ${rounds}, a packet each ${inForce.everyMs} ms; latency of ${inForce.delayMs} ms by netem)`,
    notes: ['An emulated machine: only the ratios say something.'],
    foreign: foreignCell(foreign()),
  })
}

async function compareDelays(guest: Guest, { isQuick }: BenchContext) {
  const accuracy = { count: isQuick ? 50 : 200, everyMs: 10, settleMs: 2500 }
  const foreign = watchForeignCpu()
  const seen = await measureIn<DelaySeen[]>(guest, { accuracy })
  return accuracyTable(seen, {
    title: `Guest: latency asked and added, in ms (netem on ifb, ${accuracy.count} ICMP echoes each)`,
    notes: ['Bare: tc qdisc add dev eth0 root netem delay, in the same namespace.'],
    foreign: foreignCell(foreign()),
  })
}

async function carry(guest: Guest, { isQuick }: BenchContext) {
  const seconds = 1
  const packets = packetsPerSecond * seconds
  const delaysMs = isQuick ? [100] : [10, 100]
  const carried = { delaysMs, from: 'near', seconds, packetsPerSecond, packets } as const
  const foreign = watchForeignCpu()
  const found = await measureIn<Carried[]>(guest, { carried })
  return carriedTable(found, {
    title: `Guest: TCP in Mbit/s, and ${packets} UDP packets (netem on ifb, ${seconds} s each)`,
    notes: ['Bare netem has the same limit of packets under way (100,000) as ours.'],
    foreign: foreignCell(foreign()),
  })
}

/** The programs of the bench are not part of what is installed on a host. */
async function putBench(guest: Guest): Promise<void> {
  for (const file of programs)
    await guest.write(join(benchDir, file), readFileSync(join(repository, file)))
  const targets = linked.map((name) => join(projectDir, name))
  await guest.ok(['ln', '-s', ...targets, benchDir])
}

async function measureIn<T>(guest: Guest, request: GuestRequest): Promise<T> {
  const node = join(projectDir, 'node_modules/.bin/node')
  const program = join(benchDir, 'test/bench/network-guest-program.ts')
  const command = [node, program, JSON.stringify(request)]
  return JSON.parse(await guest.ok(command, { timeoutMs: measureWithinMs })) as T
}
