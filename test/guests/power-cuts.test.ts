import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { run } from '../chaos/run.ts'
import { guestSkipReason } from '../support/guest/skip-reason.ts'

beforeEach(({ skip }) => skip(guestSkipReason !== undefined, guestSkipReason))

const say = (line: string) => void process.stderr.write(`${line}\n`)

/** Cuts the power of Redis, and checks what became of what was answered before. */
async function cutPower(faults: number, without?: string) {
  const dir = mkdtempSync(path.join(tmpdir(), 'temblor-power-'))
  const result = await run({ seed: 1, faults, plan: 'power-cuts', without, dir, say })
  say(result.summary)
  return { ...result, forget: () => rmSync(dir, { recursive: true, force: true }) }
}

test('what was answered is there when Redis has lost its power, and runs or ends with its reason', async () => {
  const { violations, history, forget } = await cutPower(2)
  expect(violations).toEqual([])
  expect(history.attacks.length).toBeGreaterThan(10)
  forget()
})

test('the same with a Redis that does not sync loses attacks', async () => {
  const { violations, forget } = await cutPower(1, 'fsync')
  expect(violations.map(({ invariant }) => invariant)).toContain(
    'what was answered with 201 is on record',
  )
  forget()
})
