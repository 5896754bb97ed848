import type { FaultDeath } from '../faults/fault.ts'
import { ToolError } from '../host/tool.ts'
import { watchDevices, type DeviceId, type DeviceWatch, type OwnQueue } from './device-watch.ts'
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
  readonly #watch: DeviceWatch | undefined
  /** The kernel keeps the rules in force by itself until the end of the attack. */
  #isHeldToEnd: boolean
  #counters: Counters = nothing
  /** They were read when the rules were about to go. */
  #isCounted = false
  #busy: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> = Promise.resolve()

  constructor(options: {
    readonly namespace: NamespaceRef
    readonly family: 'netdev' | 'inet'
    readonly table: string
    readonly remainingMs: number
    /** Those that have hooks of the table: it is over when one is gone. */
    readonly hooked?: readonly DeviceId[]
    readonly own?: OwnQueue
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
    const { hooked, own } = options
    this.#watch = hooked && watchDevices(options.namespace, hooked, own)
    void this.#watch?.died.then((death) => this.#endAtOnce(death))
  }

  /** As of the last refresh. */
  get counters(): Counters {
    return this.#counters
  }

  /** Whether the rules chose nothing in all their time; known when it is closed. */
  get sawNothing(): boolean {
    const { egress, ingress } = this.#counters
    return this.#isCounted && egress.packets + ingress.packets === 0
  }

  /** Puts further addresses under the fault, or spares them. */
  add(set: 'chosen' | 'spared', addresses: readonly string[]): void {
    const script = addScript(this.#family, this.#table, set, addresses)
    this.#inTurn(() => runIn(this.#namespace, 'nft', ['-f', '-'], script))
  }

  /** Reads the counters for the last time and deletes the table; any number of times. */
  close(): Promise<void> {
    clearInterval(this.#refreshTimer)
    this.#watch?.close()
    // One after the other: a late one could hit the table of who comes next.
    this.#closing = this.#closing.catch(() => undefined).then(() => this.#close())
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#busy
    // The table may be gone already; what counts is that it is not there.
    const last = await this.#ask(`list counters table ${this.#family} ${this.#table}`).catch(
      () => '',
    )
    if (last) {
      this.#read(last)
      this.#isCounted = true
    }
    await deleteTable(this.#namespace, this.#family, this.#table)
  }

  /** Until the table is gone packets may be lost. Who waits for the end does it again, and says if it fails. */
  async #endAtOnce(death: FaultDeath): Promise<void> {
    this.#death.resolve(death)
    await this.close().catch(() => undefined)
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
