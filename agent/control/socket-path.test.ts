import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { controlSocketPath, isOwnFolder } from './socket-path.ts'

it('is in the state folder, or short and of its own when that would be too long', () => {
  expect(controlSocketPath('/var/lib/temblor')).toBe('/var/lib/temblor/agent.sock')
  const [a, b] = ['a', 'b'].map((end) => controlSocketPath(`/${'x'.repeat(120)}${end}`))
  expect(Buffer.byteLength(a ?? '')).toBeLessThan(100)
  expect(a).not.toBe(b)
})

it('knows its own folder from another', () => {
  expect(isOwnFolder(`${mkdtempSync(join(tmpdir(), 'temblor-own-'))}/agent.sock`)).toBe(true)
  expect(isOwnFolder('/nowhere/agent.sock')).toBe(false)
})
