import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { check } from './check/check.ts'
import type { Violation } from './check/invariant.ts'
import { Client } from './client.ts'
import { watchLoop, Nemesis } from './nemesis.ts'
import type { History } from './history.ts'
import {
  makeLatePlan,
  makeOrderPlan,
  makePlan,
  makePowerPlan,
  type Plan,
  type Step,
  type Ways,
} from './plan.ts'
import { bounds, startSite } from './rig/site.ts'

export interface RunOptions {
  readonly plan?: keyof typeof planners
  readonly seed: number
  readonly faults: number
  /** Where histories and logs are written. */
  readonly dir: string
  /** A fence that is cut out, to see that this is found. */
  readonly without?: string | undefined
  /** Within this after everything is healed every attack is over; the longest one has 12 s. */
  readonly settleMs?: number
  readonly say: (line: string) => void
}

export interface RunResult {
  readonly history: History
  readonly violations: readonly Violation[]
  /** Parts that ended although nobody had killed them. */
  readonly deaths: readonly string[]
  readonly summary: string
}

const ways: Ways = {
  controllers: ['c1', 'c2'],
  hosts: [
    ...['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7'].map((name) => ({ name, team: 'red' })),
    ...['b1', 'b2'].map((name) => ({ name, team: 'blue' })),
  ],
}

const few: Ways = { ...ways, hosts: ways.hosts.slice(-4) }

/** What a run does, by name, and to whom. */
export const planners = {
  storms: { make: makePlan, ways },
  'power-cuts': { make: makePowerPlan, ways: few },
  'late-words': { make: makeLatePlan, ways: few },
  'repeated-orders': { make: makeOrderPlan, ways: few },
}

/** Injects faults and asks for attacks as the seed says, heals everything, and checks what happened. */
export async function run(options: RunOptions): Promise<RunResult> {
  const { seed, faults, dir, without, settleMs = 45_000, say } = options
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const { make, ways: parts } = planners[options.plan ?? 'storms']
  const plan = make(seed, faults, parts)
  const nemesis = new Nemesis()
  const stopWatching = watchLoop((outage) => nemesis.outages.push(outage))
  const site = await startSite({
    dir,
    ways: parts,
    without,
    isPowered: options.plan === 'power-cuts',
    listener: nemesis,
  })
  nemesis.takeOn(site)
  say(`seed ${seed}: ${plan.faults} faults in ${Math.round(plan.lengthMs / 1000)} s, in ${dir}`)
  try {
    const client = new Client(site)
    await follow(plan, client, nemesis)
    // A revocation that was long in the way may be the last word about a host, which is not there again until then.
    await client.settle()
    for (const { name } of site.hosts) void client.change('activate', name)
    await client.settle()
    await nemesis.healed()
    const healedAt = performance.now()
    await untilOver(client, healedAt + settleMs)
    const attacks = await client.attacks()
    const { requests } = client
    const effects = site.witness.effects()
    const journals = site.journals()
    const { hosts } = site
    const until = performance.now()
    const { outages } = nemesis
    const history = { seed, bounds, hosts, requests, effects, outages, attacks, journals, until }
    return report(history, options, nemesis)
  } finally {
    stopWatching()
    await site.stop()
  }
}

async function follow({ steps }: Plan, client: Client, nemesis: Nemesis): Promise<void> {
  let startedAt = performance.now()
  for (const step of steps) {
    await sleep(Math.max(0, startedAt + step.atMs - performance.now()))
    if (step.do === 'heal') {
      const before = performance.now()
      await nemesis.healed()
      startedAt += performance.now() - before
    } else carryOut(step, client, nemesis)
  }
}

function carryOut(step: Exclude<Step, { do: 'heal' }>, client: Client, nemesis: Nemesis): void {
  if (step.do === 'fault') nemesis.inject(step)
  else if (step.do === 'create') client.create(step)
  else if (step.do === 'repeat') client.repeat(step.of, step.hangUpMs)
  else if (step.do === 'read') client.read(step.of)
  else if (step.do === 'halt-all') client.haltAll(step.team)
  else if (step.do === 'late-word') nemesis.sayLate(step, client)
  else void client.change(step.do, step.host)
}

/** Whatever is not over by then is on record as it is, and is found. */
async function untilOver(client: Client, deadline: number): Promise<void> {
  while (performance.now() < deadline) {
    if ((await client.active()).length === 0) break
    await sleep(300)
  }
  // What the agents have done last is acknowledged.
  await sleep(300)
}

function report(history: History, { dir, seed, faults }: RunOptions, nemesis: Nemesis): RunResult {
  writeFileSync(path.join(dir, 'history.json'), JSON.stringify(history))
  const violations = check(history)
  const { attacks, effects, requests } = history
  const executions = attacks.flatMap((attack) => attack.executions)
  const stages = Object.entries(Object.groupBy(executions, ({ stage }) => stage))
  const counts = stages.map(([stage, rows]) => `${stage} ${rows?.length}`)
  const unanswered = requests.filter(({ status }) => status === 0 || status >= 500).length
  const summary = [
    `seed ${seed}: ${faults} faults (${nemesis.summary()})`,
    `${requests.length} requests, ${unanswered} without an answer or with 5xx`,
    `${attacks.length} attacks, ${executions.length} executions (${counts.join(', ')}), ${effects.length} effects`,
    `${violations.length} violations`,
  ].join('; ')
  return { history, violations, deaths: nemesis.deaths, summary }
}
