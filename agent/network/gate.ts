import type { FaultDeath } from '../faults/fault.ts'
import { ToolError } from '../host/tool.ts'
import { NamespaceGone, runIn, type NamespaceRef } from './namespace.ts'
import { addScript, deleteScript, refreshScript, type Direction } from './ruleset.ts'

/** The kernel forgets the rules when they have not been refreshed for this long. */
const holdMs = 12_000
const refreshEveryMs = 4000

/** Packets and bytes that the rules chose so far. */
export type Counters = Readonly<Record<Direction, { packets: number; bytes: number }>>

const nothing: Counters = {
  egress: { packets: 0, bytes: 0 },
  ingress: { packets: 0, bytes: 0 },
}

/** How long rules may hold without their agent, at most until the end of the attack. */
export function holdFor(remainingMs: number): number {
  return Math.min(holdMs, remainingMs)
}

/** Keeps one table of ours in force, by refreshing its gate until it is closed or something dies. */
export class Gate {
  readonly died: Promise<FaultDeath>
  readonly #namespace: NamespaceRef
  readonly #family: 'netdev' | 'inet'
  readonly #table: string
  readonly #endsAtMs: number
  readonly #death = Promise.withResolvers<FaultDeath>()
  readonly #refreshTimer: NodeJS.Timeout
  /** The kernel keeps the rules in force by itself until the end of the attack. */
  #isHeldToEnd: boolean
  #counters: Counters = nothing
  #busy: Promise<unknown> = Promise.resolve()

  constructor(options: {
    readonly namespace: NamespaceRef
    readonly family: 'netdev' | 'inet'
    readonly table: string
    readonly remainingMs: number
  }) {
    this.#namespace = options.namespace
    this.#family = options.family
    this.#table = options.table
    this.#endsAtMs = performance.now() + options.remainingMs
    this.#isHeldToEnd = options.remainingMs <= holdMs
    this.died = this.#death.promise
    // At once, too: what was started after the rules has used up some of their time.
    this.#inTurn(() => this.#refresh())
    this.#refreshTimer = setInterval(() => this.#inTurn(() => this.#refresh()), refreshEveryMs)
  }

  /** As of the last refresh. */
  get counters(): Counters {
    return this.#counters
  }

  /** Puts further addresses under the fault, or spares them. */
  add(set: 'chosen' | 'spared', addresses: readonly string[]): void {
    const script = addScript(this.#family, this.#table, set, addresses)
    this.#inTurn(() => runIn(this.#namespace, 'nft', ['-f', '-'], script))
  }

  /** Reads the counters for the last time and deletes the table; any number of times. */
  async close(): Promise<void> {
    clearInterval(this.#refreshTimer)
    await this.#busy
    // The table may be gone already; what counts is that it is not there.
    const last = await this.#ask(`list counters table ${this.#family} ${this.#table}`).catch(
      () => '',
    )
    if (last) this.#read(last)
    await deleteTable(this.#namespace, this.#family, this.#table)
  }

  /** Nothing of it overlaps: two changes of one table would disturb each other. */
  #inTurn(act: () => Promise<unknown>): void {
    this.#busy = this.#busy.then(act).catch((error: unknown) => this.#fail(error))
  }

  async #refresh(): Promise<void> {
    const leftMs = this.#endsAtMs - performance.now()
    // Nobody stopped it in time: this process stood still, and the kernel has ended it.
    if (leftMs <= 0) return this.#expired()
    const script = refreshScript(this.#family, this.#table, holdFor(leftMs))
    this.#read(await this.#ask(script))
    this.#isHeldToEnd = leftMs <= holdMs
  }

  /** The kernel has forgotten the rules: at the end of the attack, or before it. */
  #expired(): void {
    this.#death.resolve(
      this.#isHeldToEnd
        ? { cause: 'deadline', message: 'The rules have expired at the end of the attack.' }
        : { cause: 'silence', message: 'The rules were not refreshed in time and have expired.' },
    )
  }

  /** As an argument, because nft cannot read from a socket when it answers in JSON. */
  #ask(script: string): Promise<string> {
    return runIn(this.#namespace, 'nft', ['-j', script])
  }

  #read(json: string): void {
    const { nftables = [] } = JSON.parse(json || '{}') as {
      nftables?: { counter?: { name: string; packets: number; bytes: number } }[]
    }
    const found = nftables.flatMap(({ counter }) => (counter ? [[counter.name, counter]] : []))
    this.#counters = { ...nothing, ...Object.fromEntries(found) }
  }

  async #fail(error: unknown): Promise<void> {
    if (error instanceof NamespaceGone)
      return this.#death.resolve({ cause: 'target', message: error.message })
    if (!(error instanceof ToolError))
      return this.#death.resolve({ cause: 'crash', message: String(error) })
    if (!/No such file or directory/.test(error.stderr))
      return this.#death.resolve({ cause: 'crash', message: error.message })
    if (await tableExists(this.#namespace, this.#family, this.#table)) return this.#expired()
    this.#death.resolve({
      cause: 'crash',
      message: 'Somebody removed the nft table of the attack.',
    })
  }
}

/** Deletes a table if it is there. A namespace that is gone is success. @throws ToolError */
export async function deleteTable(
  namespace: NamespaceRef,
  family: string,
  table: string,
): Promise<void> {
  try {
    await runIn(namespace, 'nft', ['-f', '-'], deleteScript(family, table))
  } catch (error) {
    if (!(error instanceof NamespaceGone)) throw error
  }
}

async function tableExists(
  namespace: NamespaceRef,
  family: string,
  table: string,
): Promise<boolean> {
  try {
    await runIn(namespace, 'nft', ['list', 'table', family, table])
    return true
  } catch {
    return false
  }
}
