import { expect, it } from 'vitest'
import type { Measurement } from './faults/fault.ts'
import { totalEffect } from './measured-total.ts'

function part(value: number, wholeMs: number): Measurement {
  const detail = { burnt_cores: value / 100, window_seconds: wholeMs / 1000 }
  const whole = { metric: 'cpu', value, unit: 'percent_of_capacity', detail }
  return { latest: whole, whole, wholeMs }
}

function counted(value: number, packets: number): Measurement {
  const detail = { delayed_packets: packets, normal_ms: 2 }
  const whole = { metric: 'added_delay', value, unit: 'ms', detail }
  return { latest: whole, whole, wholeMs: 1000 }
}

it('weights the parts of an attack by their time', () => {
  expect(totalEffect([part(50, 3000), part(10, 1000)])).toEqual({
    metric: 'cpu',
    value: 40,
    unit: 'percent_of_capacity',
    detail: { burnt_cores: 0.4, window_seconds: 4 },
  })
})

it('says nothing where nothing was measured', () => {
  expect(totalEffect([])).toBeUndefined()
})

it('adds up what is counted', () => {
  expect(totalEffect([counted(90, 10), counted(110, 30)])).toMatchObject({
    value: 100,
    detail: { delayed_packets: 40, normal_ms: 2 },
  })
})
