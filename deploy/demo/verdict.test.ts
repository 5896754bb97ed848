import { expect, test } from 'vitest'
import type { Execution } from '../../shared/api/records.ts'
import type { AttackResult } from './attack.ts'
import type { Observation } from './observe.ts'
import { bystandersOf, rowsOf, strayEffects, tableOf } from './verdict.ts'

const startMs = Date.parse('2026-11-20T23:00:01.000Z')
const targets = [
  { id: 'a', name: 'shop-1', initPid: 1, capacityCores: 0.5, isLabelled: true },
  { id: 'b', name: 'bystander', initPid: 2, capacityCores: 0.5, isLabelled: false },
]
const quiet: Observation = {
  firstBurnAt: undefined,
  lastBurnAt: undefined,
  cores: 0,
  totalCpuMs: 0,
  idleCores: 1,
}

function resultWith(
  seen: Partial<Observation>,
  measured = 50,
  bystander: Observation = quiet,
): AttackResult {
  const busy = {
    firstBurnAt: startMs + 200,
    lastBurnAt: startMs + 11_010,
    cores: 0.25,
    totalCpuMs: 2500,
    idleCores: 1,
    ...seen,
  }
  const execution = {
    guest_id: 'a',
    client_id: 'host-1',
    stage: 'Successful',
    output: '',
    requested: { value: 50 },
    measured: { value: measured },
    client_states: [{ stage: 'Running', timestamp: new Date(startMs + 1000).toISOString() }],
  } as unknown as Execution
  return {
    attack: { length_seconds: 10 } as AttackResult['attack'],
    executions: [execution],
    requestedAt: startMs,
    seenOnHost: quiet,
    seenInContainers: new Map([
      ['a', busy],
      ['b', bystander],
    ]),
  }
}

test('what was as asked has no problems', () => {
  const [row] = rowsOf(resultWith({}), targets, 2)
  expect(row).toMatchObject({ outside: 50, thereAfterMs: 200, goneAfterMs: 10, freeCores: 1.25 })
  expect(row?.problems).toEqual([])
})

test.each([
  [{ cores: 0.2 }, 50, 'an onlooker saw 40.0 %'],
  [{}, 54, 'the agent measured 54.0 %'],
  [{ cores: 0.1, idleCores: 0.05 }, 50, 'only 0.15 cores were free'],
  [{ lastBurnAt: startMs + 13_000 }, 50, 'it outlived its length by 2000 ms'],
])('%j with %d measured: %s', (seen, measured, problem) => {
  const [row] = rowsOf(resultWith(seen, measured), targets, 2)
  expect(row?.problems.join('\n')).toContain(problem)
})

test('a container that nobody asked for must stay quiet', () => {
  expect(strayEffects(resultWith({}), targets)).toEqual([])
  const hit = resultWith({}, 50, { ...quiet, cores: 0.1, totalCpuMs: 900 })
  expect(strayEffects(hit, targets)).toEqual(['bystander was hit although it was not asked for'])
})

test('the table names the containers that were left alone', () => {
  const result = resultWith({})
  const lines = tableOf(rowsOf(result, targets, 2), bystandersOf([result], targets))
  expect(lines.at(-1)).toMatch(/^bystander .* 0\.0 % +not asked$/)
})
