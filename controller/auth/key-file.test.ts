import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { caFingerprint, newSealingKey, openKeyFile, replaceSealingKeys } from './key-file.ts'

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

  it('of an older version gives the keys that its one master key stood for', async () => {
    const path = join(dir, 'older.json')
    const { caCertificatePem, caKeyPem } = await openKeyFile(join(dir, 'keys.json'))
    const sealingKey = Buffer.alloc(32, 7).toString('base64')
    writeFileSync(path, JSON.stringify({ caCertificatePem, caKeyPem, sealingKey }))
    const keyFile = await openKeyFile(path)
    expect(keyFile).toEqual(await openKeyFile(path))
    const states = keyFile.sealingKeys.map(({ state }) => state)
    expect(states).toEqual(['current'])
    const next = newSealingKey('next')
    const written = await replaceSealingKeys(keyFile, [...keyFile.sealingKeys, next])
    expect(await openKeyFile(path)).toEqual(written)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    // What hashes tokens stays what it was, without the master key.
    expect(written.tokenKey).toBe(keyFile.tokenKey)
    expect(readFileSync(path, 'utf8')).not.toContain(sealingKey)
  })

  it('is replaced where a link leads to it', async () => {
    const path = join(dir, 'linked.json')
    const target = join(dir, 'target.json')
    await openKeyFile(target)
    symlinkSync(target, path)
    const before = await openKeyFile(path)
    await replaceSealingKeys(before, [...before.sealingKeys, newSealingKey('next')])
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect((await openKeyFile(target)).sealingKeys).toHaveLength(2)
  })

  it('is not replaced when somebody else replaced it meanwhile', async () => {
    const path = join(dir, 'twice.json')
    const before = await openKeyFile(path)
    const after = await replaceSealingKeys(before, [...before.sealingKeys, newSealingKey('next')])
    await expect(replaceSealingKeys(before, before.sealingKeys)).rejects.toThrow(/somebody else/)
    expect(await openKeyFile(path)).toEqual(after)
    expect(readdirSync(dir).filter((name) => name.startsWith('twice'))).toEqual(['twice.json'])
  })
})
