import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { caFingerprint, createSeal, openKeyFile } from './key-file.ts'

describe('the key file', () => {
  let dir = ''
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'temblor-keys-'))
  })
  afterAll(() => rmSync(dir, { recursive: true }))

  it('is made once, for its owner only, also when two controllers start at once', async () => {
    const path = join(dir, 'keys.json')
    const [first, second] = await Promise.all([openKeyFile(path), openKeyFile(path)])
    const later = await openKeyFile(path)
    expect(caFingerprint(first)).toBe(caFingerprint(later))
    expect(caFingerprint(second)).toBe(caFingerprint(later))
    expect(caFingerprint(later)).toMatch(/^[0-9a-f]{64}$/)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('is refused when it holds something else', async () => {
    const path = join(dir, 'other.json')
    writeFileSync(path, '{}')
    await expect(openKeyFile(path)).rejects.toThrow(/not a key file/)
  })

  it('seals secrets so that only the same key opens them unchanged', async () => {
    const seal = createSeal(await openKeyFile(join(dir, 'keys.json')))
    const other = createSeal(await openKeyFile(join(dir, 'another.json')))
    const sealed = seal.close('secret')
    expect(seal.open(sealed)).toBe('secret')
    expect(seal.close('secret')).not.toBe(sealed)
    expect(() => other.open(sealed)).toThrow(/authenticate/)
    const changed = Buffer.from(sealed, 'base64')
    changed[changed.length - 1] = (changed.at(-1) as number) ^ 1
    expect(() => seal.open(changed.toString('base64'))).toThrow(/authenticate/)
    expect(other.hashToken('token')).not.toBe(seal.hashToken('token'))
  })
})
