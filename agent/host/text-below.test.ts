import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lookUp } from '../network/observer/name-lookup.ts'
import { readTextBelow } from './text-below.ts'

let folder: string
let root: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temblor-below-'))
  root = join(folder, 'root')
  mkdirSync(join(root, 'etc'), { recursive: true })
  mkdirSync(join(root, 'run/inner'), { recursive: true })
  writeFileSync(join(root, 'run/inner/hosts'), '10.0.0.1 db\n')
  writeFileSync(join(folder, 'hosts'), '10.9.9.9 db\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const hosts = () => join(root, 'etc/hosts')

test.each([
  ['a file', () => writeFileSync(hosts(), '10.0.0.1 db\n')],
  ['a link', () => symlinkSync('../run/inner/hosts', hosts())],
  ['a link from the root', () => symlinkSync('/run/inner/hosts', hosts())],
  [
    'a linked folder',
    () => {
      rmSync(join(root, 'etc'), { recursive: true })
      symlinkSync('/run/./inner/../inner', join(root, 'etc'))
    },
  ],
])('%s is read as programs below this root do', async (_, make) => {
  make()
  expect(readTextBelow(root, 'etc/hosts')).toBe('10.0.0.1 db\n')
  expect(await lookUp('db', root)).toEqual(['10.0.0.1'])
})

test('no link leads out', () => {
  for (const target of ['../../hosts', '../../../../hosts', join(folder, 'hosts'), '/dev/zero']) {
    symlinkSync(target, hosts())
    expect(readTextBelow(root, 'etc/hosts')).toBe('')
    rmSync(hosts())
  }
})

test('what is no plain file is not opened, and what has no end is not read to it', () => {
  execFileSync('mkfifo', [hosts()])
  expect(readTextBelow(root, 'etc/hosts')).toBe('')
  expect(readTextBelow('', 'dev/zero')).toBe('')
  expect(readTextBelow(root, 'etc')).toBe('')
  expect(readTextBelow(root, 'none/hosts')).toBe('')
  rmSync(hosts())
  symlinkSync('hosts', hosts())
  expect(readTextBelow(root, 'etc/hosts')).toBe('')
  rmSync(hosts())
  writeFileSync(hosts(), 'x'.repeat(3_000_000))
  expect(readTextBelow(root, 'etc/hosts/hosts')).toBe('')
  expect(readTextBelow(root, 'etc/hosts')).toHaveLength(1024 * 1024)
})

test('the root of this machine is read by its own names', () => {
  expect(readTextBelow('', 'etc/hosts')).toContain('localhost')
  expect(readTextBelow('/proc/self/root', 'etc/hosts')).toContain('localhost')
})
