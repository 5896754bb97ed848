import type { AuditEntry } from '../../shared/api/audit.ts'
import type { ChainHead } from '../store/audit.ts'
import type { AuditHasher } from './entry.ts'
import { installationChain } from './head-log.ts'
import type { LoggedHeads } from './logged-heads.ts'

/** What is wrong with a chain, and where. */
export interface Finding {
  readonly kind: 'changed' | 'removed' | 'inserted' | 'moved' | 'rewritten' | 'cut' | 'unreadable'
  readonly message: string
}

/** What became of looking at a chain. */
export interface Verdict {
  readonly chain: string
  readonly intact: boolean
  readonly entries: number
  readonly first: number | null
  readonly last: number | null
  /** Heads of the log that were compared. */
  readonly heads: number
  readonly findings: readonly Finding[]
}

export interface Chain {
  /** A company's id, or `installation`; that of the first entry unless stated. */
  readonly chain?: string
  /** Each entry as it was written down, in that order. */
  readonly texts: AsyncIterable<string>
  /** What the store said was the newest entry before the texts were read, and says after it. */
  readonly heads?: { readonly before: ChainHead; readonly after: () => Promise<ChainHead> }
  /** The beginning and the end are missing on purpose. */
  readonly isPart?: boolean
}

/** Findings that are told; one fault can make many. */
const findingLimit = 50

/** Looks at every entry of a chain, and compares it with the heads that the controllers logged. */
export async function verifyChain(
  { chain, texts, heads, isPart = false }: Chain,
  hasher: AuditHasher,
  logged: LoggedHeads,
): Promise<Verdict> {
  const walk = new Walk(hasher, logged, chain, heads?.before)
  for await (const text of texts) walk.see(text)
  return walk.end(await heads?.after(), isPart)
}

/** The state of going through a chain from its beginning. */
class Walk {
  private readonly hasher: AuditHasher
  private readonly logged: LoggedHeads
  private chain: string | undefined
  private readonly findings: Finding[] = []
  private readonly head: ChainHead | undefined
  private first: AuditEntry | undefined
  private last: AuditEntry | undefined
  /** What the audit itself says of where it was cut: sequence before the cut -> hash. */
  private readonly cuts = new Map<number, string>()
  private entries = 0
  private heads = 0

  constructor(
    hasher: AuditHasher,
    logged: LoggedHeads,
    chain: string | undefined,
    head: ChainHead | undefined,
  ) {
    this.head = head
    this.hasher = hasher
    this.logged = logged
    this.chain = chain
  }

  see(text: string): void {
    this.entries += 1
    const entry = readEntry(text)
    if (!entry) {
      const after = this.last ? `after entry ${this.last.sequence}` : 'at the beginning'
      return this.find('unreadable', `What stands ${after} is no entry.`)
    }
    const isGenuine = this.checkHash(entry)
    this.checkChain(entry)
    this.checkPlace(entry)
    this.checkHeads(entry)
    if (isGenuine && entry.action === 'audit.cut')
      this.cuts.set(Number(entry.detail['through']), String(entry.detail['hash']))
    this.first ??= entry
    if (entry.sequence > (this.last?.sequence ?? 0)) this.last = entry
  }

  end(after: ChainHead | undefined, isPart: boolean): Verdict {
    if (!isPart) {
      this.checkBeginning()
      this.checkEnd(after)
    }
    return {
      chain: this.chain ?? 'none',
      intact: this.findings.length === 0,
      entries: this.entries,
      first: this.first?.sequence ?? null,
      last: this.last?.sequence ?? null,
      heads: this.heads,
      findings: this.findings,
    }
  }

  private find(kind: Finding['kind'], message: string): void {
    if (this.findings.length < findingLimit) this.findings.push({ kind, message })
  }

  private checkHash(entry: AuditEntry): boolean {
    if (this.hasher.matches(entry)) return true
    const why =
      entry.key === this.hasher.keyId
        ? 'its hash is not that of what it says'
        : `it names the key ${entry.key}, which is not that of the key file`
    this.find('changed', `Entry ${entry.sequence} was changed: ${why}.`)
    return false
  }

  private checkChain({ sequence, company_id: companyId }: AuditEntry): void {
    const own = companyId ?? installationChain
    this.chain ??= own
    if (own !== this.chain)
      this.find('moved', `Entry ${sequence} is of the chain ${own} and was moved here.`)
  }

  private checkPlace({ sequence, previous }: AuditEntry): void {
    if (!this.last) return
    const expected = this.last.sequence + 1
    if (sequence > expected)
      return this.find('removed', `Entries are missing: ${expected} to ${sequence - 1}.`)
    if (sequence < expected)
      return this.find(
        'inserted',
        `Entry ${sequence} stands behind entry ${this.last.sequence}: inserted, or out of order.`,
      )
    if (previous !== this.last.hash)
      this.find('rewritten', `Entry ${sequence} does not follow the entry before it as it is now.`)
  }

  private checkHeads({ sequence, hash }: AuditEntry): void {
    const logged = this.logged.at(this.chain ?? '', sequence)
    this.heads += logged.length
    if (logged.some((one) => one !== hash))
      this.find('rewritten', `Entry ${sequence} is another than the log says: written anew.`)
    else if (this.head?.sequence === sequence && this.head.hash !== hash)
      this.find('rewritten', `Entry ${sequence} is another than the head of the chain says.`)
  }

  private checkBeginning(): void {
    if (!this.first) return
    const { sequence, previous } = this.first
    const isWhole = sequence === 1 && previous === null
    if (isWhole || (sequence > 1 && this.cuts.get(sequence - 1) === previous)) return
    this.find(
      'removed',
      `The chain begins with entry ${sequence}, and no entry of it says that those before were due to go.`,
    )
  }

  private checkEnd(after: ChainHead | undefined): void {
    const last = this.last?.sequence ?? 0
    const inLog = this.logged.last(this.chain ?? '')
    if (inLog > last)
      this.find('cut', `The chain ends with entry ${last}; the log knows of entry ${inLog}.`)
    else if (this.head && this.head.sequence > last)
      this.find(
        'cut',
        `The chain ends with entry ${last}; its head is entry ${this.head.sequence}.`,
      )
    if (after && last > after.sequence)
      this.find(
        'inserted',
        `Entry ${last} stands behind the head, which is entry ${after.sequence}.`,
      )
  }
}

function readEntry(text: string): AuditEntry | undefined {
  try {
    const entry = JSON.parse(text) as Partial<AuditEntry> | null
    const isEntry =
      Number.isInteger(entry?.sequence) &&
      typeof entry?.hash === 'string' &&
      typeof entry.detail === 'object' &&
      entry.detail !== null
    return isEntry ? (entry as AuditEntry) : undefined
  } catch {
    return undefined
  }
}
