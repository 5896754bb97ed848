import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
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
  readonly state: 'RECEIVED' | 'APPLYING' | 'ACTIVE' | 'STRIKING' | 'DONE'
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

/** Whether something of an execution that is over is still to be taken back. */
export function isLeftBehind({ state, report, undo }: JournalEntry): boolean {
  return state === 'DONE' && report?.reason === 'left_behind' && undo.length > 0
}

/**
 * So much is kept at a time. What cannot be recorded is not begun, so that no controller, whoever has it, can fill the
 * disk of a host with orders.
 */
const usualLimits = { entries: 10_000, text: 64 * 1024 * 1024 }

/** DONE entries answer duplicates and late commands for this long. */
const keepDoneMs = 3_600_000
/** A report that nobody fetched in a week is not wanted any more, and what is left behind for so long stays. */
const keepUnacknowledgedMs = 7 * 24 * 3_600_000

/** How often it is tried to write what could not be written, ms. */
const tryAgainMs = 1000

/** `now`: on disk, or an error. `soon`: known at once, and on disk as soon as that can be. */
export type Durability = 'now' | 'soon'

/** The journal cannot be written; the message says why, for people. */
export class JournalError extends Error {
  constructor(cause: unknown) {
    super(`The journal cannot be written: ${whyOf(cause)}.`, { cause })
    this.name = 'JournalError'
  }
}

/**
 * What this agent has been told to do and has done, one fsynced file for each execution. What comes
 * before a side effect is on disk when a method returns; what comes after it does not wait for a disk
 * that is full, and is written when there is room.
 */
export class Journal {
  readonly #folder: string
  readonly #nowMs: () => number
  readonly #limits: Readonly<typeof usualLimits>
  readonly #entries = new Map<string, JournalEntry>()
  /** Length of each as text, and of all. */
  readonly #lengths = new Map<string, number>()
  #length = 0
  /** Executions of which the disk does not know the newest state. */
  readonly #behind = new Set<string>()
  readonly #onProblem: (problem: string | undefined) => void
  /** Why the last write failed; until one succeeds and nothing is behind any more. */
  #problem: JournalError | undefined
  #tryAgain: NodeJS.Timeout | undefined
  /** Files that could not be read; they are kept beside the others with the ending `.unreadable`. */
  readonly unreadable: string[] = []

  constructor(
    stateFolder: string,
    options: {
      readonly nowMs?: () => number
      readonly limits?: Readonly<typeof usualLimits>
      /** Told why the journal cannot be written, and with undefined that it can be again. */
      readonly onProblem?: ((problem: string | undefined) => void) | undefined
    } = {},
  ) {
    this.#limits = options.limits ?? usualLimits
    this.#onProblem = options.onProblem ?? (() => undefined)
    this.#folder = join(stateFolder, 'journal')
    this.#nowMs = options.nowMs ?? Date.now
    makePrivateFolder(this.#folder)
    for (const name of readdirSync(this.#folder)) if (name.endsWith('.json')) this.#load(name)
  }

  get(executionId: string): JournalEntry | undefined {
    return this.#entries.get(executionId)
  }

  /** Why it cannot be written; undefined when it could be at the last try. */
  get problem(): string | undefined {
    return this.#problem?.message
  }

  entries(): JournalEntry[] {
    return [...this.#entries.values()]
  }

  /**
   * Adds a new entry, in place of an older generation.
   * @throws Error when there are too many; JournalError when it, or anything before it, is to be on
   *   disk and cannot be
   */
  create(
    entry: Omit<JournalEntry, 'version' | 'acknowledged' | 'changedAtMs' | 'undo'>,
    when: Durability = 'now',
  ): JournalEntry {
    if (!isSafeName(entry.executionId)) throw new Error('The execution id is not one.')
    if (this.#isFull) this.prune()
    if (this.#isFull) throw new Error('The journal is full: too many orders came within an hour.')
    // What begins will have to be written again and again.
    if (when === 'now') this.#catchUp()
    if (when === 'now' && this.#behind.size > 0)
      throw this.#problem ?? new Error('The journal is behind.')
    const started = { version: 1, undo: [], acknowledged: false } as const
    return this.#write({ ...started, ...entry, changedAtMs: this.#nowMs() }, when)
  }

  /** Changes an entry. @throws Error when there is none; JournalError when it is to be on disk and cannot be */
  update(
    executionId: string,
    change: Partial<JournalEntry>,
    when: Durability = 'now',
  ): JournalEntry {
    const entry = this.#entries.get(executionId)
    if (!entry) throw new Error(`The journal has no execution ${executionId}.`)
    const changedAtMs = change.state ? this.#nowMs() : entry.changedAtMs
    return this.#write({ ...entry, changedAtMs, ...change }, when)
  }

  /** Writes what is still to be written, if that can be, and nothing more after it. */
  close(): void {
    this.#catchUp()
    clearTimeout(this.#tryAgain)
    this.#tryAgain = undefined
  }

  /** Forgets what is over and was reported more than an hour ago. */
  prune(): void {
    for (const entry of this.#entries.values()) {
      if (entry.state !== 'DONE') continue
      const isSettled = (entry.acknowledged || entry.local) && !isLeftBehind(entry)
      const keepMs = isSettled ? keepDoneMs : keepUnacknowledgedMs
      if (this.#nowMs() - entry.changedAtMs < keepMs) continue
      this.#forget(entry.executionId)
    }
  }

  #forget(executionId: string): void {
    try {
      removeDurably(this.#path(executionId))
    } catch {
      // A disk that cannot be written; the next time is early enough.
      return
    }
    this.#entries.delete(executionId)
    this.#count(executionId, 0)
    this.#behind.delete(executionId)
  }

  #write(entry: JournalEntry, when: Durability): JournalEntry {
    const { executionId } = entry
    const text = JSON.stringify(entry)
    const problem = this.#save(entry, text)
    if (problem && when === 'soon') this.#behind.add(executionId)
    this.#tell(problem)
    if (problem && when === 'now') throw problem
    this.#count(executionId, text.length)
    this.#entries.set(executionId, entry)
    return entry
  }

  /** @returns why it cannot be written */
  #save(entry: JournalEntry, text = JSON.stringify(entry)): JournalError | undefined {
    try {
      writeDurably(this.#path(entry.executionId), text)
    } catch (error) {
      return new JournalError(error)
    }
    this.#behind.delete(entry.executionId)
    return undefined
  }

  /** Writes what could not be written before, until something still cannot. */
  #catchUp(): void {
    if (this.#behind.size === 0) return
    for (const executionId of this.#behind) {
      const entry = this.#entries.get(executionId)
      const problem = entry && this.#save(entry)
      this.#behind.delete(executionId)
      if (!problem) continue
      // At the end: it does not keep the others from being tried.
      this.#behind.add(executionId)
      return this.#tell(problem)
    }
    this.#tell(undefined)
  }

  /** Says what changed, and tries again later for as long as something is behind. */
  #tell(problem: JournalError | undefined): void {
    const now = problem ?? (this.#behind.size > 0 ? this.#problem : undefined)
    const isNews = now?.message !== this.#problem?.message
    this.#problem = now
    if (isNews) this.#onProblem(now?.message)
    if (this.#behind.size === 0) return
    this.#tryAgain ??= setTimeout(() => {
      this.#tryAgain = undefined
      this.#catchUp()
    }, tryAgainMs).unref()
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
      this.unreadable.push(name)
      this.#putAside(path)
    }
  }

  #putAside(path: string): void {
    try {
      renameSync(path, `${path}.unreadable`)
    } catch {
      // A disk that cannot be written; what else is in the journal must be taken back all the same.
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

/** In the words of the system. */
function whyOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : message
}

/** Execution ids become file names; they come from outside. */
export function isSafeName(executionId: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(executionId)
}
