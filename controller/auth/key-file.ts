import { createHash, hkdfSync, randomBytes, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { link, mkdir, open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createAuthority } from '../agents/authority.ts'

/** A key that seals secrets. What it sealed names it by its id. */
export interface SealingKey {
  readonly id: string
  /** 32 bytes, base64. */
  readonly key: string
  /** One is `current` and seals; `next` and `old` ones only open, while a rotation goes on. */
  readonly state: 'next' | 'current' | 'old'
}

/** What the key file holds. All controllers share it; it is never in Redis. */
export interface KeyFile {
  /** Where it was read. */
  readonly path: string
  readonly caCertificatePem: string
  /** PKCS #8. */
  readonly caKeyPem: string
  /** 32 bytes, base64. It hashes tokens and is never changed: a hash cannot be made anew. */
  readonly tokenKey: string
  /** 32 bytes, base64. It chains the audit and is never changed for the same reason. */
  readonly auditKey: string
  readonly sealingKeys: readonly SealingKey[]
}

/** Reads the key file, making it (mode 0600) when there is none. Safe when two start at once. */
export async function openKeyFile(path: string): Promise<KeyFile> {
  if (!existsSync(path)) await makeKeyFile(path)
  return readKeyFile(path)
}

/** Reads the key file. @throws Error when it is missing or something else */
export function readKeyFile(path: string): KeyFile {
  return parseKeyFile(path, readFileSync(path, 'utf8'))
}

function parseKeyFile(path: string, text: string): KeyFile {
  const given = JSON.parse(text) as Partial<KeyFile> & { sealingKey?: string }
  const keys = given.sealingKey ? keysOfOneMaster(given.sealingKey) : given
  const { caCertificatePem, caKeyPem } = given
  const { tokenKey, auditKey, sealingKeys = [] } = keys
  const isComplete = caCertificatePem && caKeyPem && tokenKey && auditKey
  if (!isComplete || sealingKeys.filter(({ state }) => state === 'current').length !== 1)
    throw new Error(`${path} is not a key file of Temblor. Restore it from a backup.`)
  return { path, caCertificatePem, caKeyPem, tokenKey, auditKey, sealingKeys }
}

/** What an older key file has in place of the separate keys. */
function keysOfOneMaster(master: string): Pick<KeyFile, 'tokenKey' | 'auditKey' | 'sealingKeys'> {
  const derive = (purpose: string) =>
    Buffer.from(
      hkdfSync('sha256', Buffer.from(master, 'base64'), '', `temblor ${purpose}`, 32),
    ).toString('base64')
  return {
    tokenKey: derive('tokens'),
    auditKey: derive('audit'),
    sealingKeys: [{ ...sealingKeyOf(derive('secrets')), state: 'current' }],
  }
}

function sealingKeyOf(key: string): Omit<SealingKey, 'state'> {
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 12), key }
}

/** A new key for sealing. */
export function newSealingKey(state: SealingKey['state']): SealingKey {
  return { ...sealingKeyOf(randomBytes(32).toString('base64')), state }
}

async function makeKeyFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = await writeDraft(path, {
    path,
    ...(await createAuthority()),
    tokenKey: randomBytes(32).toString('base64'),
    auditKey: randomBytes(32).toString('base64'),
    sealingKeys: [newSealingKey('current')],
  })
  // link() fails when another controller was first; then its file counts.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
}

/**
 * Puts other sealing keys into the key file, in one step that is on disk when this returns.
 * @throws Error when the file is not what `before` was read from
 */
export async function replaceSealingKeys(
  before: KeyFile,
  sealingKeys: readonly SealingKey[],
): Promise<KeyFile> {
  // A link goes on leading to the file.
  const path = await realpath(before.path)
  const after = { ...before, sealingKeys }
  const owner = await stat(path)
  const draft = await writeDraft(path, after, owner)
  const now = readKeyFile(before.path)
  if (JSON.stringify(now) !== JSON.stringify(before)) {
    await rm(draft)
    throw new Error(`${path} was changed by somebody else meanwhile. Nothing was written.`)
  }
  await rename(draft, path)
  const folder = await open(dirname(path), 'r')
  await folder.sync()
  await folder.close()
  return after
}

/** Writes the keys beside the file, on disk. Whoever runs this, the controller must be able to read it. */
async function writeDraft(
  path: string,
  { caCertificatePem, caKeyPem, tokenKey, auditKey, sealingKeys }: KeyFile,
  owner?: { uid: number; gid: number },
): Promise<string> {
  const content = { caCertificatePem, caKeyPem, tokenKey, auditKey, sealingKeys }
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  const file: FileHandle = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(content, null, 2)}\n`)
    if (owner && process.getuid?.() === 0) await file.chown(owner.uid, owner.gid)
    await file.sync()
  } finally {
    await file.close()
  }
  return draft
}

/** SHA-256 of the CA certificate (DER), hex: what an agent checks before it says anything. */
export function caFingerprint(keyFile: KeyFile): string {
  const der = new X509Certificate(keyFile.caCertificatePem).raw
  return createHash('sha256').update(der).digest('hex')
}
