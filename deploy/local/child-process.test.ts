import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { type ManagedChild, readyMessage, startChild } from './child-process.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'temblor-unit-'))
afterAll(() => rmSync(dir, { recursive: true }))

function run(script: string, onProblem: (text: string) => void = () => {}): ManagedChild {
  return startChild({
    name: 'part',
    program: process.execPath,
    args: ['-e', script],
    ipc: true,
    logFile: path.join(dir, 'part.log'),
    onProblem,
  })
}

test('gives the first message of a child that is ready, then ends it', async () => {
  const child = run('process.send({ ready: true, port: 7 }); setInterval(() => {}, 1000)')
  expect(await readyMessage(child, 10_000)).toEqual({ ready: true, port: 7 })
  await child.stop(5000)
  expect(await child.ended).toEqual({ code: null, signal: 'SIGTERM' })
})

test('a child that fails says why, by message or by its last lines', async () => {
  const told = run('process.send({ ready: false, message: "no key" })')
  await expect(readyMessage(told, 10_000)).rejects.toThrow('part did not start: no key')
  const died = run('console.error("out of luck"); process.exit(3)')
  await expect(readyMessage(died, 10_000)).rejects.toThrow('part did not start: out of luck')
  const slow = run('setInterval(() => {}, 1000)')
  await expect(readyMessage(slow, 50)).rejects.toThrow('not ready after 0.05 s')
  await slow.stop(5000)
})

test('one that does not listen is ended by force', async () => {
  const child = run(
    'process.on("SIGTERM", () => {}); process.send({ ready: true }); setInterval(() => {}, 1000)',
  )
  await readyMessage(child, 10_000)
  await child.stop(100)
  expect(await child.ended).toEqual({ code: null, signal: 'SIGKILL' })
})

test('everything goes to the log, problems to the terminal too', async () => {
  const problems: string[] = []
  const lines = ['{"level":30,"msg":"fine"}', '{"level":40,"msg":"odd","err":{"message":"why"}}']
  const child = run(`for (const l of ${JSON.stringify(lines)}) console.error(l)`, (text) =>
    problems.push(text),
  )
  await child.ended
  // The stream of the log writes in its own time.
  await vi.waitFor(() => {
    expect(problems).toEqual(['odd: why'])
    expect(readFileSync(path.join(dir, 'part.log'), 'utf8')).toContain(lines[0])
  }, 5_000)
})
