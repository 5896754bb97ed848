import { setTimeout as sleep } from 'node:timers/promises'
import type { Outage, Part } from './history.ts'
import type { Client } from './client.ts'
import { sayLate } from './late-words.ts'
import { requestsOfLateWord, triesOfLateWord, type Fault, type LateWord } from './plan.ts'
import type { Network } from './rig/network.ts'
import type { Direction, Relay } from './rig/relay.ts'
import type { Site, SiteListener } from './rig/site.ts'

/** Until what was slow has come to rest. */
const againAfterMs = 2_000

/** Breaks parts, heals them, and writes down when each of them did not do its work. */
export class Nemesis implements SiteListener {
  readonly outages: Outage[] = []
  readonly deaths: string[] = []
  readonly #open = new Set<Promise<void>>()
  readonly #counts = new Map<string, number>()
  #site: Site | undefined

  takeOn(site: Site): void {
    this.#site = site
  }

  inject(fault: Fault): void {
    if (fault.kind === 'kill' && this.#isTooMuch(fault.part)) return
    this.#count(`${fault.kind} ${fault.part.split(':')[0]}`)
    this.#follow(this.#carryOut(fault))
  }

  /** Has a controller speak for a session that is over; tries again where something was too slow for it. */
  sayLate(word: LateWord, client: Client): void {
    this.#follow(this.#sayLate(word, client, 0))
  }

  async #sayLate(word: LateWord, client: Client, tries: number): Promise<void> {
    const stage = { site: this.#site as Site, client, nemesis: this }
    const isSaid = await this.during({ part: `link:${word.host}`, kind: 'cut' }, () =>
      sayLate(stage, { ...word, id: word.id + tries * requestsOfLateWord }).catch(() => false),
    )
    this.#count(isSaid ? `late ${word.what}` : `no late ${word.what}`)
    if (isSaid || tries + 1 === triesOfLateWord) return
    await sleep(againAfterMs)
    await this.#sayLate(word, client, tries + 1)
  }

  /**
   * A machine that is slow to start processes would be without any controller for most of the run, and
   * nothing would be asked for.
   */
  #isTooMuch(part: string): boolean {
    const others = [...(this.#site as Site).parts.values()].filter(({ name }) => name !== part)
    const serving = others.filter(({ name, ready }) => name.startsWith('controller:') && ready)
    return part !== 'redis' && !part.startsWith('agent:') && serving.length === 0
  }

  /** Everything that was broken is whole again. */
  async healed(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open)
  }

  away(part: string, untilReady: Promise<void>): void {
    this.#follow(this.during({ part: part as Part, kind: 'start' }, () => untilReady))
  }

  died(part: string, code: number | null): void {
    this.deaths.push(`${part} ended by itself with code ${code}`)
  }

  summary(): string {
    return [...this.#counts].map(([kind, count]) => `${kind} ${count}`).join(', ')
  }

  #count(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
  }

  #follow(task: Promise<void>): void {
    this.#open.add(task)
    void task.finally(() => this.#open.delete(task))
  }

  async #carryOut({ part, kind, forMs }: Fault): Promise<void> {
    const site = this.#site as Site
    const relay = site.relays.get(part)
    if (relay && site.network && kind !== 'cut') {
      await this.#losePackets(site.network, relay, { part, kind, forMs })
      return
    }
    if (relay) {
      await this.during({ part, kind: kind === 'cut' ? 'cut' : 'hold' }, async () => {
        if (kind === 'cut') relay.cut()
        else relay.hold(directionOf(kind))
        await sleep(forMs)
        relay.heal()
      })
      return
    }
    const target = site.parts.get(part)
    if (!target?.isAlive) return
    if (kind === 'stop') {
      await this.during({ part, kind }, async () => {
        target.freeze()
        await sleep(forMs)
        target.thaw()
      })
      return
    }
    await this.during({ part, kind: 'kill' }, async () => {
      target.kill()
      await sleep(forMs)
    })
    await this.during({ part, kind: 'start' }, () => site.revive(part))
  }

  /** In a network nothing is held back: packets are lost, of connections and of those that are being made. */
  async #losePackets(
    network: Network,
    relay: Relay,
    { part, kind, forMs }: Pick<Fault, 'part' | 'kind' | 'forMs'>,
  ): Promise<void> {
    await this.during({ part, kind: 'hold' }, async () => {
      await network.lose(relay, directionOf(kind))
      await sleep(forMs)
      await network.restore(relay)
    })
    // The kernel sends again after as long as it has waited, and the first packet of a connection after a second.
    await this.during({ part, kind: 'start' }, () => sleep(forMs + 1_000))
  }

  /** Writes down that this part does not do its work while the task goes on. */
  async during<T>(what: Pick<Outage, 'part' | 'kind'>, task: () => Promise<T>): Promise<T> {
    const begin = performance.now()
    // Written down at its end; a run is checked when everything has ended.
    return await task().finally(() => this.outages.push({ ...what, begin, end: performance.now() }))
  }
}

function directionOf(kind: Fault['kind']): Direction {
  return kind === 'hold-up' ? 'up' : kind === 'hold-down' ? 'down' : 'both'
}

const lookEveryMs = 100
const lateMs = 300

/** What the machine itself did not get done in time counts as an outage of all parts. */
export function watchLoop(onStall: (outage: Outage) => void): () => void {
  let lookedAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    if (now - lookedAt > lookEveryMs + lateMs)
      onStall({ part: 'machine', kind: 'stall', begin: lookedAt, end: now })
    lookedAt = now
  }, lookEveryMs)
  return () => clearInterval(timer)
}
