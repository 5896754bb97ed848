import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** `<data dir>/local.json`: what a script needs to drive the local Temblor. It holds secrets. */
export interface LocalFile {
  readonly baseUrl: string
  readonly appUrl: string
  readonly grpcAddress: string
  readonly company: { readonly id: string; readonly name: string }
  readonly team: { readonly id: string; readonly name: string }
  /** The password is null when this machine does not know it. */
  readonly owner: { readonly email: string; readonly password: string | null }
  readonly join: string
  /** Where `temblor admin` finds the data. */
  readonly redisUrl: string
}

const fileName = 'local.json'

/** What the last start wrote, or undefined. */
export function readLocalFile(dataDir: string): LocalFile | undefined {
  try {
    return JSON.parse(readFileSync(path.join(dataDir, fileName), 'utf8')) as LocalFile
  } catch {
    return undefined
  }
}

/** Replaces the file in one step; only its owner can read it. */
export function writeLocalFile(dataDir: string, content: LocalFile): void {
  const file = path.join(dataDir, fileName)
  const temporary = `${file}.${randomUUID()}`
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, file)
}

/** The password to keep: a new one, else the one known for the same owner. */
export function knownPassword(
  previous: LocalFile | undefined,
  owner: { email: string; password: string | null },
  companyId: string,
): string | null {
  if (owner.password !== null) return owner.password
  const isSame = previous?.owner.email === owner.email && previous.company.id === companyId
  return isSame ? previous.owner.password : null
}
