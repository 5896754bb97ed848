import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lockFolder } from './lock.ts'

it('lets one have a folder at a time, and names who has it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'temblor-lock-'))
  const lock = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(`in use by another agent (process ${process.pid})`)
  lock.release()
  lockFolder(folder).release()
})
