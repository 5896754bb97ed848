import { createCipheriv } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newSealingKey, openKeyFile, replaceSealingKeys, type KeyFile } from './key-file.ts'
import { createSeal, type Seal } from './seal.ts'

let dir = ''
let keyFile: KeyFile
let seal: Seal
let count = 0
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'temblor-seal-'))
})
beforeEach(async () => {
  keyFile = await openKeyFile(join(dir, `${(count += 1)}.json`))
  seal = createSeal(keyFile)
})
afterAll(() => rmSync(dir, { recursive: true }))

test('a secret opens unchanged, with its key, as what it was sealed', async () => {
  const other = createSeal(await openKeyFile(join(dir, 'another.json')))
  const sealed = seal.close('secret', 'user 1 seed')
  expect(seal.open(sealed, 'user 1 seed')).toBe('secret')
  expect(seal.close('secret', 'user 1 seed')).not.toBe(sealed)
  expect(sealed).toMatch(new RegExp(`^v1\\.${keyFile.sealingKeys[0]?.id}\\.`))
  expect(() => seal.open(sealed, 'user 2 seed')).toThrow(/authenticate/)
  expect(() => other.open(sealed, 'user 1 seed')).toThrow(/which is not in/)
  const parts = sealed.split('.')
  const bytes = Buffer.from(parts[2] ?? '', 'base64url')
  for (const at of [0, 12, 28, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] as number) ^ 1
    const text = `v1.${parts[1]}.${changed.toString('base64url')}`
    expect(() => seal.open(text, 'user 1 seed')).toThrow(/authenticate/)
  }
  const short = `v1.${parts[1]}.${bytes.subarray(0, 20).toString('base64url')}`
  expect(() => seal.open(short, 'user 1 seed')).toThrow(/tag/)
  expect(other.hashToken('token')).not.toBe(seal.hashToken('token'))
})

test('a rotation by another process is noticed when something is sealed or opened', async () => {
  const [first] = keyFile.sealingKeys
  const before = seal.close('old', 'x')
  const next = newSealingKey('next')
  const added = await replaceSealingKeys(keyFile, [...keyFile.sealingKeys, next])
  expect(seal.close('same', 'x')).toContain(`v1.${first?.id}.`)
  const used = await replaceSealingKeys(added, [
    { ...next, state: 'current' },
    { ...first, state: 'old' } as never,
  ])
  const after = createSeal(used).close('new', 'x')
  expect(after).toContain(`v1.${next.id}.`)
  // This one has not read the file since.
  expect(seal.open(after, 'x')).toBe('new')
  expect(seal.open(before, 'x')).toBe('old')
  const renewed = seal.renew(before, 'x') ?? ''
  expect(seal.renew(renewed, 'x')).toBeUndefined()
  await replaceSealingKeys(used, [{ ...next, state: 'current' }])
  const fresh = createSeal(await openKeyFile(keyFile.path))
  expect(fresh.open(renewed, 'x')).toBe('old')
  expect(() => fresh.open(before, 'x')).toThrow(first?.id)
  expect(fresh.hashToken('token')).toBe(seal.hashToken('token'))
})

test('what an older version sealed opens and is sealed anew', () => {
  const key = Buffer.from(keyFile.sealingKeys[0]?.key ?? '', 'base64')
  const nonce = Buffer.alloc(12, 1)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const text = Buffer.concat([cipher.update('secret'), cipher.final()])
  const older = Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
  expect(seal.open(older, 'x')).toBe('secret')
  expect(seal.open(seal.renew(older, 'x') ?? '', 'x')).toBe('secret')
  expect(() => seal.open(`Z${older.slice(1)}`, 'x')).toThrow(/not in the key file/)
})
