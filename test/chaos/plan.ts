import { randomOf, type Random } from '../fuzz/random.ts'
import type { Host, Part } from './history.ts'

/** The parts that can be hit. */
export interface Ways {
  readonly controllers: readonly string[]
  readonly hosts: readonly Host[]
}

/** Controllers and hosts, which have places of their own in a network. */
export function partsOf({ controllers, hosts }: Ways): string[] {
  return [...controllers, ...hosts.map(({ name }) => name)]
}

export type FaultKind = 'kill' | 'stop' | 'cut' | 'hold-up' | 'hold-down' | 'hold-both'

export interface Fault {
  readonly do: 'fault'
  readonly kind: FaultKind
  readonly part: Exclude<Part, 'machine'>
  readonly forMs: number
}

export interface PlannedCreate {
  readonly do: 'create'
  readonly id: number
  readonly team: string
  readonly hosts: readonly string[] | undefined
  readonly count: number
  readonly lengthSeconds: number
  /** Odd: the effect ends with its agent; even: it stays. */
  readonly percent: number
  readonly hasKey: boolean
  /** The client goes away so long after it has sent the request, without having read the answer. */
  readonly hangUpMs: number | undefined
  readonly haltAfterMs: number | undefined
}

/** The same request is sent once more, under the same key; the client may go away, too. */
export interface PlannedRepeat {
  readonly do: 'repeat'
  readonly of: number
  readonly hangUpMs: number | undefined
}

/** One controller speaks late for a session of a host that has come back through another. */
export interface LateWord {
  readonly do: 'late-word'
  /**
   * `conclusion`: what it concludes from a Hello that came in time; `hello`: the Hello itself; `order`: an order that was
   * not acknowledged, said once more in the same session.
   */
  readonly what: 'conclusion' | 'hello' | 'order'
  readonly host: string
  readonly team: string
  readonly late: string
  readonly prompt: string
  /** Of the first request of its first try; the next ones follow. */
  readonly id: number
}

export type Step = { readonly atMs: number } & (
  | Fault
  | PlannedCreate
  | PlannedRepeat
  | LateWord
  | { readonly do: 'halt-all'; readonly team: string }
  | { readonly do: 'read'; readonly of: number }
  /** Everything that was broken is whole again before anything else happens. */
  | { readonly do: 'heal' }
  | { readonly do: 'revoke' | 'activate'; readonly host: string }
)

export interface Plan {
  readonly steps: readonly Step[]
  readonly faults: number
  readonly lengthMs: number
}

const stormMs = 3_500
const faultsInStorm = 110
/** Between most storms parts come back just so; after every third, everything that was said has arrived. */
const calmsMs = [1_000, 1_000, 6_500]
/** Longer than an agent waits for its controller. */
const partitionMs = 7_500
/** So long before a cut, and for a moment after, many requests come. */
const loadMs = 2_500
const requestEveryMs = 150
/** One late word. */
export const triesOfLateWord = 3
/** At most, in each try. */
export const requestsOfLateWord = 2
const lateWordMs = 3_500
const lateWords = ['conclusion', 'hello', 'order'] as const

/**
 * Storms of faults with calms between, and what clients ask for meanwhile. The same seed makes the same
 * plan.
 */
export function makePlan(seed: number, faults: number, ways: Ways): Plan {
  const maker = new PlanMaker(randomOf(seed, 0), ways)
  for (let storm = 0; maker.faults < faults; storm += 1)
    maker.addStorm(Math.min(faultsInStorm, faults - maker.faults), calmsMs[storm % 3] as number)
  return maker.plan()
}

/** Late words, one after the other, with the rest of the service as it should be. */
export function makeLatePlan(seed: number, faults: number, ways: Ways): Plan {
  const maker = new PlanMaker(randomOf(seed, 0), ways)
  while (maker.faults < faults) maker.addLateWord()
  return maker.plan()
}

/** Orders that come again, one after the other, with the rest of the service as it should be. */
export function makeOrderPlan(seed: number, faults: number, ways: Ways): Plan {
  const maker = new PlanMaker(randomOf(seed, 0), ways)
  while (maker.faults < faults) maker.addLateWord('order')
  return maker.plan()
}

/** Cuts of power, each while much is asked for. */
export function makePowerPlan(seed: number, cuts: number, ways: Ways): Plan {
  const maker = new PlanMaker(randomOf(seed, 0), ways)
  for (let cut = 0; cut < cuts; cut += 1) maker.addPowerCut()
  for (const { team } of ways.hosts) maker.addHaltAll(team)
  return maker.plan()
}

/** Kinds of faults, how often each is injected among 1,000, and how long it lasts (ms). */
const mix: readonly [FaultKind, string, number, readonly [number, number]][] = [
  ['cut', 'link', 330, [20, 400]],
  ['hold-both', 'link', 120, [30, 700]],
  ['hold-down', 'link', 120, [30, 700]],
  ['hold-up', 'link', 100, [30, 700]],
  ['stop', 'agent', 130, [30, 900]],
  ['cut', 'redis-link', 50, [20, 500]],
  ['hold-both', 'redis-link', 40, [20, 600]],
  ['stop', 'controller', 40, [30, 700]],
  ['stop', 'redis', 16, [20, 400]],
  ['kill', 'agent', 40, [100, 3_000]],
  ['kill', 'controller', 12, [50, 800]],
  ['kill', 'redis', 16, [20, 500]],
]

/** What a part needs to be itself again, beyond the time of the fault. */
const recoverMs: Readonly<Record<string, number>> = { kill: 1_000, stop: 50, cut: 150 }

class PlanMaker {
  faults = 0
  readonly #random: Random
  readonly #ways: Ways
  readonly #steps: Step[] = []
  readonly #busy = new Map<string, { from: number; until: number }[]>()
  #nowMs = 500
  #creates = 0
  #lateWords = 0

  constructor(random: Random, ways: Ways) {
    this.#random = random
    this.#ways = ways
  }

  plan(): Plan {
    const steps = this.#steps.toSorted((a, b) => a.atMs - b.atMs)
    return { steps, faults: this.faults, lengthMs: this.#nowMs }
  }

  addStorm(count: number, calmMs: number): void {
    const random = this.#random
    const begin = this.#nowMs
    const stormEnd = begin + stormMs
    const end = stormEnd + calmMs
    const isLong = calmMs > 5_000
    if (isLong) this.#addPartition(begin)
    // Bounded: a short storm may have no room for more.
    const goal = this.faults + count
    for (let tries = 0; this.faults < goal && tries < 10 * count; tries += 1) {
      const atMs = random.int(begin, stormEnd)
      // A third of what goes wrong is a client that goes away or asks again.
      if (random.chance(0.08)) this.#addRepeat(atMs)
      else this.#addFault(atMs, stormEnd)
    }
    const requests = Math.round((end - begin) / 330)
    for (let i = 0; i < requests; i += 1) this.#addCreate(random.int(begin, end))
    for (let i = 0; i < requests / 2; i += 1)
      this.#add(random.int(begin, end), { do: 'read', of: this.#someCreate() })
    if (random.chance(0.3)) this.#add(random.int(begin, end), { do: 'halt-all', team: 'red' })
    if (random.chance(0.4)) this.#addRevocation(begin, end)
    this.#nowMs = end
    // By then nothing else is wrong.
    if (isLong) this.addLateWord()
  }

  addHaltAll(team: string): void {
    this.#add(this.#nowMs, { do: 'halt-all', team })
  }

  addPowerCut(): void {
    const random = this.#random
    const begin = this.#nowMs
    const atMs = begin + loadMs + random.int(0, 300)
    const end = atMs + 300
    for (let at = begin; at < end; at += requestEveryMs) {
      this.#addCreate(at)
      this.#add(at, { do: 'read', of: this.#someCreate() })
    }
    this.#add(atMs, { do: 'fault', kind: 'kill', part: 'redis', forMs: random.int(100, 400) })
    this.#add(end, { do: 'heal' })
    this.faults += 1
    this.#nowMs = end
  }

  addLateWord(what = lateWords[this.#lateWords % lateWords.length] as LateWord['what']): void {
    const { name: host, team } = this.#random.pick(this.#ways.hosts)
    const [late, prompt] = sample(this.#ways.controllers, 2, this.#random) as [string, string]
    const id = this.#creates + 1
    this.#creates += triesOfLateWord * requestsOfLateWord
    this.#add(this.#nowMs, { do: 'late-word', what, host, team, late, prompt, id })
    this.#lateWords += 1
    this.faults += 1
    this.#nowMs += lateWordMs
  }

  #add(
    atMs: number,
    step: Step extends infer S ? (S extends Step ? Omit<S, 'atMs'> : never) : never,
  ) {
    this.#steps.push({ atMs, ...step } as Step)
  }

  #addFault(atMs: number, stormEnd: number): void {
    const random = this.#random
    const [kind, on, , [least, most]] = this.#pickKind()
    const part = this.#pickPart(on)
    const forMs = Math.min(random.int(least, most), stormEnd + 500 - atMs)
    if (!this.#take(part, atMs, atMs + forMs + (recoverMs[kind] ?? 100))) return
    this.#add(atMs, { do: 'fault', kind, part, forMs })
    this.faults += 1
  }

  /** A part has one fault at a time. @returns false when it has another one then */
  #take(part: string, from: number, until: number): boolean {
    const taken = this.#busy.get(part) ?? []
    if (taken.some((one) => one.from < until && one.until > from)) return false
    this.#busy.set(part, [...taken, { from, until }])
    return true
  }

  /** One host hears nothing for longer than it goes on without a controller. */
  #addPartition(atMs: number): void {
    const { name: host, team } = this.#random.pick(this.#ways.hosts)
    for (const part of [`link:${host}`, `agent:${host}`] as const)
      this.#take(part, atMs, atMs + partitionMs + 500)
    const kind = this.#random.pick(['cut', 'hold-both', 'hold-down'] as const)
    this.#add(Math.max(0, atMs - 400), {
      do: 'create',
      id: (this.#creates += 1),
      team,
      hosts: [host],
      count: 1,
      lengthSeconds: 12,
      percent: this.#random.int(1, 2),
      hasKey: true,
      hangUpMs: undefined,
      haltAfterMs: undefined,
    })
    this.#add(atMs, { do: 'fault', kind, part: `link:${host}`, forMs: partitionMs })
    this.faults += 1
  }

  #addRevocation(begin: number, end: number): void {
    const host = this.#random.pick(this.#ways.hosts).name
    const at = this.#random.int(begin, begin + 1_000)
    this.#add(at, { do: 'revoke', host })
    this.#add(this.#random.int(at + 1_500, end), { do: 'activate', host })
  }

  #addCreate(atMs: number): void {
    const random = this.#random
    const team = random.chance(0.9) ? 'red' : 'blue'
    const own = this.#ways.hosts.filter((host) => host.team === team).map(({ name }) => name)
    const count = Math.min(random.pick([1, 1, 1, 2, 3]), own.length)
    const hangUpMs = random.chance(0.3) ? random.int(0, 15) : undefined
    this.#add(atMs, {
      do: 'create',
      id: (this.#creates += 1),
      team,
      hosts: random.chance(0.4) ? sample(own, count, random) : undefined,
      count,
      lengthSeconds: random.chance(0.6) ? random.int(1, 3) : random.int(6, 12),
      percent: random.int(1, 2),
      hasKey: random.chance(0.85),
      hangUpMs,
      haltAfterMs: random.chance(0.35) ? random.int(0, 3_000) : undefined,
    })
    if (hangUpMs !== undefined) this.faults += 1
  }

  #addRepeat(atMs: number): void {
    if (this.#creates === 0) return
    const hangUpMs = this.#random.int(0, 15)
    this.#add(atMs, { do: 'repeat', of: this.#someCreate(), hangUpMs })
    this.faults += 1
  }

  #someCreate(): number {
    return this.#random.int(Math.max(1, this.#creates - 30), Math.max(1, this.#creates))
  }

  #pickKind() {
    let left = this.#random.next() * mix.reduce((sum, [, , share]) => sum + share, 0)
    return mix.find(([, , share]) => (left -= share) < 0) ?? (mix[0] as (typeof mix)[number])
  }

  #pickPart(on: string): Fault['part'] {
    const { controllers, hosts } = this.#ways
    if (on === 'redis') return 'redis'
    const isHost = on === 'link' || on === 'agent'
    const name = this.#random.pick(isHost ? hosts.map((host) => host.name) : controllers)
    return `${on}:${name}` as Fault['part']
  }
}

function sample(list: readonly string[], count: number, random: Random): string[] {
  const left = [...list]
  return Array.from(
    { length: count },
    () => left.splice(random.int(0, left.length - 1), 1)[0] as string,
  )
}
