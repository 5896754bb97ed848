import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { run, type RunOptions } from './run.ts'

const main = fileURLToPath(new URL('main.ts', import.meta.url))

const say = (line: string) => void process.stderr.write(`${line}\n`)

/** Histories and logs of a run that went as it should are not kept. */
async function runOnce(options: Omit<RunOptions, 'dir' | 'say'>) {
  const dir = mkdtempSync(path.join(tmpdir(), 'temblor-chaos-'))
  const result = await run({ ...options, dir, say })
  say(result.summary)
  return { ...result, forget: () => rmSync(dir, { recursive: true, force: true }) }
}

test('1,000 faults: no attack is lost, doubled or misdirected, and none outlives its length', async () => {
  const { violations, deaths, history, forget } = await runOnce({ seed: 20_261_121, faults: 1_000 })
  expect({ violations, deaths }).toEqual({ violations: [], deaths: [] })
  // It was not idle: most of what was asked for was done.
  expect(history.effects.length).toBeGreaterThan(50)
  forget()
})

test('the same holds when parts are in network namespaces, between which packets are lost', () => {
  const args = ['--seed', '7', '--faults', '150', '--network', 'namespaces']
  const { status, stdout } = spawnSync(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    timeout: 150_000,
  })
  say(stdout)
  expect({ status, stdout }).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/[1-9]\d* effects; 0 violations/) as string,
  })
})

test('an agent that does not know an order that it has had already is found out', async () => {
  const { violations, forget } = await runOnce({
    seed: 1,
    faults: 1,
    plan: 'repeated-orders',
    without: 'duplicate-check',
    settleMs: 0,
  })
  expect(violations.map(({ invariant }) => invariant)).toContain(
    'an execution has one effect at most',
  )
  forget()
})

test('a controller that may speak for a session that is over is found out', async () => {
  const found = new Set<string>()
  const harm = 'an end that was read stays, and nothing happens after it'
  // Now and then the late word comes before what it would harm.
  for (let seed = 1; seed <= 4 && !found.has(harm); seed += 1) {
    const { violations, forget } = await runOnce({
      seed,
      faults: 1,
      plan: 'late-words',
      without: 'session-fence',
      settleMs: 0,
    })
    for (const { invariant } of violations) found.add(invariant)
    forget()
  }
  expect([...found]).toContain(harm)
})
