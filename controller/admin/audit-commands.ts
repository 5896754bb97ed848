import { createReadStream, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { ApiError } from '../../shared/api/errors.ts'
import { createAuditHasher } from '../audit/entry.ts'
import { installationChain } from '../audit/head-log.ts'
import { readLoggedHeads } from '../audit/logged-heads.ts'
import { verifyChain, type Verdict } from '../audit/verify.ts'
import { readKeyFile } from '../auth/key-file.ts'
import type { Store } from '../store/store.ts'
import { adminActor } from './audit.ts'
import { findCompany } from './commands.ts'
import { openAdminConnection } from './connection.ts'

/** Which chain is meant. */
export interface ChainOptions {
  readonly company?: string
  readonly installation?: boolean
}

export interface VerifyOptions extends ChainOptions {
  /** An export as JSON lines in place of what is stored. */
  readonly file?: string
  /** The file is a part: its beginning and end are not judged. */
  readonly part?: boolean
  readonly log?: readonly string[]
}

/**
 * Verifies chains of the audit against the key file and the heads in logs: of everything that is stored, of
 * one company, or of an exported file, for which no service need run.
 * @throws Error when a file cannot be read
 */
export async function verifyAudit(options: VerifyOptions): Promise<Verdict[]> {
  const logged = await readLoggedHeads(options.log ?? usualLogs())
  if (options.file !== undefined) {
    const hasher = createAuditHasher(readKeyFile(keyFilePath()))
    const texts = linesOf(options.file)
    return [await verifyChain({ texts, isPart: options.part === true }, hasher, logged)]
  }
  const connection = await openAdminConnection(process.env)
  try {
    const { store, keyFile } = connection
    const verdicts: Verdict[] = []
    for (const companyId of await chainsOf(store, options)) {
      const before = await store.audit.head(companyId)
      const heads = { before, after: () => store.audit.head(companyId) }
      const texts = store.audit.texts(companyId)
      const chain = { chain: companyId ?? installationChain, texts, heads }
      verdicts.push(await verifyChain(chain, createAuditHasher(keyFile), logged))
    }
    return verdicts
  } finally {
    await connection.close()
  }
}

/** Prints one chain as JSON lines, the oldest first. */
export async function exportAudit(
  options: ChainOptions,
  print: (text: string) => Promise<void>,
): Promise<void> {
  const connection = await openAdminConnection(process.env)
  try {
    const { store, audit } = connection
    const [companyId, ...others] = await chainsOf(store, options)
    if (others.length > 0)
      throw new ApiError('invalid_body', 'Say which chain: --company <name> or --installation.')
    for await (const text of store.audit.texts(companyId)) await print(`${text}\n`)
    await audit.record({ action: 'audit.export', actor: adminActor(), companyId })
  } finally {
    await connection.close()
  }
}

async function chainsOf(
  store: Store,
  { company, installation }: ChainOptions,
): Promise<(string | undefined)[]> {
  if (installation) return [undefined]
  if (company !== undefined) return [(await findCompany(store, company)).id]
  return [undefined, ...(await store.companies.allIds())]
}

async function* linesOf(path: string): AsyncGenerator<string> {
  if (!existsSync(path)) throw new Error(`There is no file ${path}.`)
  for await (const line of createInterface({ input: createReadStream(path, 'utf8') }))
    if (line.trim() !== '') yield line
}

const dataDir = () => resolve(process.env['TEMBLOR_DATA_DIR'] || '.temblor')
const keyFilePath = () => process.env['TEMBLOR_KEY_FILE'] || `${dataDir()}/keys.json`

/** Where `npm start` keeps the controller's log, and the one before. */
function usualLogs(): string[] {
  const path = `${dataDir()}/logs/controller.log`
  return [`${path}.1`, path].filter((one) => existsSync(one))
}
