import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDataDir, startOf } from './data-dir.ts'

let parent: string
let dir: string
beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'temblor-unit-'))
  dir = path.join(parent, 'data')
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

test('makes the folder for its owner alone and gives it back', () => {
  const held = openDataDir(dir)
  expect(statSync(dir).mode & 0o777).toBe(0o700)
  expect(existsSync(held.logsPath)).toBe(true)
  held.release()
  expect(existsSync(path.join(dir, 'temblor.lock'))).toBe(false)
})

test('refuses a folder that a living process holds, and names that process', () => {
  const held = openDataDir(dir)
  expect(() => openDataDir(dir)).toThrow(`Another Temblor (process ${process.pid}) uses ${dir}`)
  held.release()
})

test('takes over from a process that is gone, also when its id is in use again', () => {
  openDataDir(dir)
  writeFileSync(path.join(dir, 'temblor.lock'), '999999999 1\n')
  openDataDir(dir)
  writeFileSync(path.join(dir, 'temblor.lock'), `${process.pid} 1\n`)
  const held = openDataDir(dir)
  expect(held.path).toBe(dir)
  held.release()
})

test('a process that has ended has no start', async () => {
  const child = spawn('sleep', ['30'])
  expect(startOf(child.pid as number)).toMatch(/^\d+$/)
  const ended = new Promise((resolve) => child.on('exit', resolve))
  child.kill('SIGKILL')
  await ended
  expect(startOf(child.pid as number)).toBeUndefined()
})
