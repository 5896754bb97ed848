import { rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { socketPath } from './redis.ts'

test('the socket is in the data folder as long as its path fits', () => {
  expect(socketPath('/srv/temblor/redis')).toBe('/srv/temblor/redis/redis.sock')
})

test('a path that is too long leads to a private folder that is always the same', () => {
  const long = `/${'x'.repeat(120)}`
  const socket = socketPath(long)
  expect(Buffer.byteLength(socket)).toBeLessThan(101)
  expect(socketPath(long)).toBe(socket)
  expect(socketPath(`${long}y`)).not.toBe(socket)
  expect(statSync(path.dirname(socket)).mode & 0o777).toBe(0o700)
  for (const dir of [long, `${long}y`]) rmSync(path.dirname(socketPath(dir)), { recursive: true })
})
