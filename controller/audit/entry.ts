import { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { AuditEntry } from '../../shared/api/audit.ts'
import type { KeyFile } from '../auth/key-file.ts'

/** An entry without what binds it to the chain. */
export type UnhashedEntry = Omit<AuditEntry, 'hash'>

/** Keyed hashes of entries. The key is in the key file, so who has only Redis cannot make one. */
export interface AuditHasher {
  /** Names the key in the entries that it hashed. */
  readonly keyId: string
  hash(entry: UnhashedEntry): string
  /** False also when the key is not the one that the entry names. */
  matches(entry: AuditEntry): boolean
}

/** Makes the hasher of an installation. */
export function createAuditHasher({ auditKey }: Pick<KeyFile, 'auditKey'>): AuditHasher {
  const bytes = Buffer.from(auditKey, 'base64')
  const key = createSecretKey(bytes)
  const keyId = createHash('sha256').update(bytes).digest('base64url').slice(0, 8)
  const hash = (entry: UnhashedEntry) =>
    createHmac('sha256', key).update(canonical(entry)).digest('base64url')
  return {
    keyId,
    hash,
    matches({ hash: given, ...entry }) {
      if (entry.key !== keyId) return false
      const [left, right] = [Buffer.from(hash(entry)), Buffer.from(given)]
      return left.length === right.length && timingSafeEqual(left, right)
    },
  }
}

/** JSON with sorted keys and no blanks: the same text for the same values, whoever wrote them down. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const pairs = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)
  return `{${pairs.join(',')}}`
}

const textLimit = 300
const listLimit = 50
const depthLimit = 4
/** Of all that is told beside the fixed fields, as JSON. */
const detailLimit = 4_000

/** The value with long texts and lists cut: what users send cannot fill the audit. */
export function bounded(value: unknown, depth = 0): unknown {
  if (depth > depthLimit) return '…'
  const within = (part: unknown) => bounded(part, depth + 1)
  if (typeof value === 'string') return boundedText(value)
  if (Array.isArray(value)) {
    const items = value.slice(0, listLimit).map(within)
    return value.length > listLimit ? [...items, `and ${value.length - listLimit} more`] : items
  }
  if (value === null || typeof value !== 'object') return value ?? null
  const pairs = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(
    pairs.slice(0, listLimit).map(([name, field]) => [name.slice(0, textLimit), within(field)]),
  )
}

/** Without control characters: a terminal that shows the text must not obey it. */
function boundedText(text: string): string {
  const cut = text.length > textLimit ? `${text.slice(0, textLimit)}…` : text
  return cut.replaceAll(/\p{Cc}/gu, '\u{FFFD}')
}

/** Details, bounded as a whole as well. */
export function boundedDetail(detail: object): AuditEntry['detail'] {
  const cut = bounded(detail) as AuditEntry['detail']
  const text = JSON.stringify(cut)
  return text.length > detailLimit ? { cut: `${text.slice(0, detailLimit)}…` } : cut
}
