import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  X509Certificate,
} from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createAuthority } from '../agents/authority.ts'

/** What the key file holds. All controllers share it; it is never in Redis. */
export interface KeyFile {
  readonly caCertificatePem: string
  /** PKCS #8. */
  readonly caKeyPem: string
  /** 32 bytes, base64. */
  readonly sealingKey: string
}

/** Reads the key file, making it (mode 0600) when there is none. Safe when two start at once. */
export async function openKeyFile(path: string): Promise<KeyFile> {
  if (!existsSync(path)) await makeKeyFile(path)
  const keyFile = JSON.parse(await readFile(path, 'utf8')) as KeyFile
  if (!keyFile.caCertificatePem || !keyFile.caKeyPem || !keyFile.sealingKey)
    throw new Error(`${path} is not a key file of Temblor. Restore it from a backup.`)
  return keyFile
}

async function makeKeyFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const keyFile: KeyFile = {
    ...(await createAuthority()),
    sealingKey: randomBytes(32).toString('base64'),
  }
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  await file.writeFile(`${JSON.stringify(keyFile, null, 2)}\n`)
  await file.sync()
  await file.close()
  // link() fails when another controller was first; then its file counts.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
}

/** SHA-256 of the CA certificate (DER), hex: what an agent checks before it says anything. */
export function caFingerprint(keyFile: KeyFile): string {
  const der = new X509Certificate(keyFile.caCertificatePem).raw
  return createHash('sha256').update(der).digest('hex')
}

/** A key of 32 bytes for one purpose alone. */
export function deriveKey(keyFile: KeyFile, purpose: 'secrets' | 'tokens' | 'audit'): Buffer {
  const master = Buffer.from(keyFile.sealingKey, 'base64')
  return Buffer.from(hkdfSync('sha256', master, '', `temblor ${purpose}`, 32))
}

/** Seals secrets that are kept in Redis, and hashes tokens with a key. */
export interface Seal {
  close(secret: string): string
  /** @throws Error when the text was sealed with another key or was changed */
  open(sealed: string): string
  /** Keyed hash of a token: what is stored instead of it. */
  hashToken(token: string): string
}

/** AES-256-GCM with a fresh nonce for secrets, HMAC-SHA-256 for tokens; a derived key for each. */
export function createSeal(keyFile: KeyFile): Seal {
  const secretKey = deriveKey(keyFile, 'secrets')
  const tokenKey = deriveKey(keyFile, 'tokens')
  return {
    close(secret) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', secretKey, nonce)
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', secretKey, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
    hashToken: (token) => createHmac('sha256', tokenKey).update(token).digest('base64url'),
  }
}
