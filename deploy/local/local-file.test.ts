import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { knownPassword, type LocalFile, readLocalFile, writeLocalFile } from './local-file.ts'

const local: LocalFile = {
  baseUrl: 'http://127.0.0.1:8080/v1',
  appUrl: 'http://127.0.0.1:8080',
  grpcAddress: '127.0.0.1:8081',
  company: { id: 'c', name: 'Temblor' },
  team: { id: 't', name: 'Default' },
  owner: { email: 'a@b.c', password: 'known' },
  redisUrl: 'unix:///x/redis.sock',
  join: 'temblor://127.0.0.1:8081/t?secret=s&ca=c',
}

test('is replaced in one step and is readable by its owner alone', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'temblor-unit-'))
  expect(readLocalFile(dir)).toBeUndefined()
  writeLocalFile(dir, local)
  writeLocalFile(dir, local)
  expect(readLocalFile(dir)).toEqual(local)
  expect(readdirSync(dir)).toEqual(['local.json'])
  expect(statSync(path.join(dir, 'local.json')).mode & 0o777).toBe(0o600)
  rmSync(dir, { recursive: true })
})

test('keeps a password only for the owner and company it belongs to', () => {
  const same = { email: 'a@b.c', password: null }
  expect(knownPassword(local, same, 'c')).toBe('known')
  expect(knownPassword(local, { ...same, password: 'new' }, 'c')).toBe('new')
  expect(knownPassword(local, same, 'other')).toBeNull()
  expect(knownPassword(local, { ...same, email: 'x@y.z' }, 'c')).toBeNull()
  expect(knownPassword(undefined, same, 'c')).toBeNull()
})
