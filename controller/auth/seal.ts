import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import { statSync } from 'node:fs'
import { readKeyFile, type KeyFile } from './key-file.ts'

/** Seals secrets that are kept in Redis, and hashes tokens with a key. */
export interface Seal {
  /**
   * Seals a secret. `what` says whose it is and which field; it opens as nothing else.
   * @throws Error when the key file cannot be read
   */
  close(secret: string, what: string): string
  /** @throws Error when it was sealed with a key that is gone, as something else, or was changed */
  open(sealed: string, what: string): string
  /** The same secret sealed with the key in use; undefined when it is already. @throws as `open` */
  renew(sealed: string, what: string): string | undefined
  /** Keyed hash of a token: what is stored instead of it. */
  hashToken(token: string): string
  /** A token (UUID) that only the same texts give, and nobody without the key. */
  deriveToken(...from: readonly string[]): string
}

interface Ring {
  readonly current: string
  readonly keys: ReadonlyMap<string, Buffer>
}

/**
 * AES-256-GCM with a fresh nonce for secrets, HMAC-SHA-256 for tokens. What is sealed is
 * `v1.<key id>.<nonce, tag and text>`. Another process may rotate the keys: before sealing, and when a key is
 * unknown, the key file is read again if it is another.
 */
export function createSeal(keyFile: KeyFile): Seal {
  const { path } = keyFile
  const tokenKey = createSecretKey(keyFile.tokenKey, 'base64')
  const nextTokenKey = Buffer.from(hkdfSync('sha256', tokenKey, '', 'temblor next tokens', 32))
  let ring = ringOf(keyFile)
  let seen = ''
  const current = (): Ring => {
    // Looked at before it is read: a file that is replaced in between is read once more.
    const { ino, mtimeNs, size } = statSync(path, { bigint: true })
    const stamp = `${ino} ${mtimeNs} ${size}`
    if (stamp === seen) return ring
    ring = ringOf(readKeyFile(path))
    seen = stamp
    return ring
  }
  const close: Seal['close'] = (secret, what) => {
    const { current: id, keys } = current()
    return `v1.${id}.${encrypt(keys.get(id) as Buffer, secret, `${id} ${what}`)}`
  }
  const open: Seal['open'] = (sealed, what) => {
    const [, id, text] = /^v1\.([0-9a-f]{12})\.([\w-]+)$/.exec(sealed) ?? []
    if (id === undefined || text === undefined) return openUnnamed(ring, sealed)
    const key = ring.keys.get(id) ?? current().keys.get(id)
    if (!key) throw new Error(`This was sealed with the key ${id}, which is not in ${path}.`)
    return decrypt(key, Buffer.from(text, 'base64url'), `${id} ${what}`)
  }
  return {
    close,
    open,
    renew: (sealed, what) =>
      sealed.startsWith(`v1.${current().current}.`) ? undefined : close(open(sealed, what), what),
    hashToken: (token) => createHmac('sha256', tokenKey).update(token).digest('base64url'),
    deriveToken(...from) {
      const digest = createHmac('sha256', nextTokenKey).update(JSON.stringify(from)).digest()
      return toUuid(digest.subarray(0, 16))
    },
  }
}

/** 122 of these 128 bits as a UUID of version 4. */
function toUuid(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function ringOf({ sealingKeys }: KeyFile): Ring {
  return {
    current: sealingKeys.find(({ state }) => state === 'current')?.id ?? '',
    keys: new Map(sealingKeys.map(({ id, key }) => [id, Buffer.from(key, 'base64')])),
  }
}

/** What an older version sealed says neither with which key nor as what. */
function openUnnamed({ keys }: Ring, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  for (const key of keys.values()) {
    try {
      return decrypt(key, bytes, undefined)
    } catch {
      // Not with this one.
    }
  }
  throw new Error('This was sealed with a key that is not in the key file, or was changed.')
}

function encrypt(key: Buffer, secret: string, aad: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(aad))
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')
}

function decrypt(key: Buffer, bytes: Buffer, aad: string | undefined): string {
  // The whole tag: a shorter one would be accepted otherwise.
  const options = { authTagLength: 16 }
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), options)
  decipher.setAuthTag(bytes.subarray(12, 28))
  if (aad !== undefined) decipher.setAAD(Buffer.from(aad))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}
