import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  apiBaseUrl,
  credentialsFile,
  readCredentials,
  signedInClient,
  writeCredentials,
} from './credentials.ts'

const stored = {
  baseUrl: 'http://127.0.0.1:8080/v1',
  authorization: 'Bearer abc',
  email: 'a@b.c',
  company: 'Temblor',
  team: { id: 't', name: 'Default' },
  expiresAt: '2999-01-01T00:00:00.000Z',
}

let env: NodeJS.ProcessEnv
beforeEach(() => {
  env = { XDG_CONFIG_HOME: mkdtempSync(path.join(tmpdir(), 'temblor-unit-')) }
})
afterEach(() => rmSync(env['XDG_CONFIG_HOME'] as string, { recursive: true }))

test.each(['http://h:1', 'http://h:1/', 'http://h:1/v1', 'http://h:1/v1/'])(
  '%s is a base',
  (url) => {
    expect(apiBaseUrl(url)).toBe('http://h:1/v1')
  },
)

test.each(['h:1', 'ftp://h', ''])('%j is refused', (url) => {
  expect(() => apiBaseUrl(url)).toThrow('is not an address')
})

test('are kept for this user alone', () => {
  expect(readCredentials(env)).toBeUndefined()
  writeCredentials(env, stored)
  expect(readCredentials(env)).toEqual(stored)
  expect(statSync(credentialsFile(env)).mode & 0o777).toBe(0o600)
})

test('without any the exit code says "not signed in"', () => {
  expect(() => signedInClient(env)).toThrow(expect.objectContaining({ exitCode: 4 }))
})

test('a kept token does not go to another server', () => {
  writeCredentials(env, stored)
  expect(signedInClient(env).baseUrl).toBe(stored.baseUrl)
  expect(() => signedInClient({ ...env, TEMBLOR_URL: 'http://elsewhere:80' })).toThrow(
    'You are signed in at',
  )
})

test('an expired session is not used', () => {
  writeCredentials(env, { ...stored, expiresAt: '2001-01-01T00:00:00.000Z' })
  expect(() => signedInClient(env)).toThrow('has expired')
})

test('TEMBLOR_URL and TEMBLOR_TOKEN win', () => {
  writeCredentials(env, stored)
  const other = { ...env, TEMBLOR_URL: 'http://elsewhere:80', TEMBLOR_TOKEN: 'xyz' }
  expect(signedInClient(other).baseUrl).toBe('http://elsewhere/v1')
})
