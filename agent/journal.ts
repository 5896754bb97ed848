import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { AttackParams } from '../shared/attacks/index.ts'
import type { Effect } from '../shared/effect.ts'
import type { EndReason } from '../shared/stages.ts'
import type { ContainerTarget, UndoRecord } from './faults/fault.ts'
import { makePrivateFolder, removeDurably, writeDurably } from './host/durable-file.ts'

/** How an execution ended. */
export interface Report {
  readonly reason: EndReason
  readonly message: string
  readonly requested?: Effect
  readonly measured?: Effect
  readonly backend?: string
  /** Counts on from the updates before it. */
  readonly seq: number
}

/** One execution as it is on disk. A tombstone is DONE without ever having begun. */
export interface JournalEntry {
  readonly version: 1
  readonly executionId: string
  readonly generation: number
  readonly attackId: string
  readonly attackType: string
  readonly params: AttackParams
  readonly container?: { readonly id: string; readonly name: string }
  /** Somebody started it on this host; no controller needs to be there. */
  readonly local: boolean
  /** The boot of the host in which it was received. */
  readonly bootId: string
  /** STRIKING: what cannot be taken back is under way, and may end this process. */
  readonly state: 'RECEIVED' | 'APPLYING' | 'ACTIVE' | 'STRIKING' | 'REVERTING' | 'DONE'
  /** The target in the incarnation that the undo records are about. */
  readonly target?: ContainerTarget
  /** On disk before what they take back is done. */
  readonly undo: readonly UndoRecord[]
  readonly requested?: Effect
  readonly backend?: string
  readonly report?: Report
  /** The controller knows how it ended. */
  readonly acknowledged: boolean
  /** Wall clock, epoch ms; for ages in reports and for pruning only. */
  readonly changedAtMs: number
}

/**
 * So much is kept at a time. What cannot be recorded is not begun, so that no controller, whoever has it, can fill the
 * disk of a host with orders.
 */
const usualLimits = { entries: 10_000, text: 64 * 1024 * 1024 }

/** DONE entries answer duplicates and late commands for this long. */
const keepDoneMs = 3_600_000
/** A report that nobody fetched in a week is not wanted any more. */
const keepUnacknowledgedMs = 7 * 24 * 3_600_000

/**
 * What this agent has been told to do and has done, one fsynced file for each execution. When a
 * method returns, the change is on disk.
 */
export class Journal {
  readonly #folder: string
  readonly #nowMs: () => number
  readonly #limits: Readonly<typeof usualLimits>
  readonly #entries = new Map<string, JournalEntry>()
  /** Length of each as text, and of all. */
  readonly #lengths = new Map<string, number>()
  #length = 0
  /** Files that could not be read; they are kept beside the others with the ending `.unreadable`. */
  readonly unreadable: string[] = []

  constructor(
    stateFolder: string,
    nowMs: () => number = Date.now,
    limits: Readonly<typeof usualLimits> = usualLimits,
  ) {
    this.#limits = limits
    this.#folder = join(stateFolder, 'journal')
    this.#nowMs = nowMs
    makePrivateFolder(this.#folder)
    for (const name of readdirSync(this.#folder)) if (name.endsWith('.json')) this.#load(name)
  }

  get(executionId: string): JournalEntry | undefined {
    return this.#entries.get(executionId)
  }

  entries(): JournalEntry[] {
    return [...this.#entries.values()]
  }

  /** Writes a new entry, in place of an older generation. @throws Error when there are too many */
  create(
    entry: Omit<JournalEntry, 'version' | 'acknowledged' | 'changedAtMs' | 'undo'>,
  ): JournalEntry {
    if (!isSafeName(entry.executionId)) throw new Error('The execution id is not one.')
    if (this.#isFull) this.prune()
    if (this.#isFull) throw new Error('The journal is full: too many orders came within an hour.')
    const started = { version: 1, undo: [], acknowledged: false } as const
    return this.#write({ ...started, ...entry, changedAtMs: this.#nowMs() })
  }

  /** Changes an entry. @throws Error when there is none */
  update(executionId: string, change: Partial<JournalEntry>): JournalEntry {
    const entry = this.#entries.get(executionId)
    if (!entry) throw new Error(`The journal has no execution ${executionId}.`)
    const changedAtMs = change.state ? this.#nowMs() : entry.changedAtMs
    return this.#write({ ...entry, changedAtMs, ...change })
  }

  /** Forgets what is over and was reported more than an hour ago. */
  prune(): void {
    for (const entry of this.#entries.values()) {
      if (entry.state !== 'DONE') continue
      const keepMs = entry.acknowledged || entry.local ? keepDoneMs : keepUnacknowledgedMs
      if (this.#nowMs() - entry.changedAtMs < keepMs) continue
      this.#entries.delete(entry.executionId)
      this.#count(entry.executionId, 0)
      removeDurably(this.#path(entry.executionId))
    }
  }

  #write(entry: JournalEntry): JournalEntry {
    const text = JSON.stringify(entry)
    writeDurably(this.#path(entry.executionId), text)
    this.#count(entry.executionId, text.length)
    this.#entries.set(entry.executionId, entry)
    return entry
  }

  #load(name: string): void {
    const path = join(this.#folder, name)
    try {
      const text = readFileSync(path, 'utf8')
      const entry = JSON.parse(text) as JournalEntry
      if (entry.version !== 1 || `${entry.executionId}.json` !== name) throw new Error('foreign')
      this.#entries.set(entry.executionId, entry)
      this.#count(entry.executionId, text.length)
    } catch {
      renameSync(path, `${path}.unreadable`)
      this.unreadable.push(name)
    }
  }

  get #isFull(): boolean {
    return this.#entries.size >= this.#limits.entries || this.#length >= this.#limits.text
  }

  #count(executionId: string, length: number): void {
    this.#length += length - (this.#lengths.get(executionId) ?? 0)
    if (length > 0) this.#lengths.set(executionId, length)
    else this.#lengths.delete(executionId)
  }

  #path(executionId: string): string {
    return join(this.#folder, `${executionId}.json`)
  }
}

/** Execution ids become file names; they come from outside. */
export function isSafeName(executionId: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(executionId)
}
