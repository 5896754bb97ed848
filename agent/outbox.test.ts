import { expect, it } from 'vitest'
import type { ExecutionUpdate } from './execution-update.ts'
import { Outbox } from './outbox.ts'

const measured = { metric: 'cpu', value: 1, unit: 'percent_of_capacity', detail: {} }

function update(seq: number, change: Partial<ExecutionUpdate> = {}): ExecutionUpdate {
  const common = { executionId: 'e', generation: 1, local: false, message: '', atMs: 0 }
  return { ...common, seq, stage: 'Running', ...change }
}

it('keeps stages in order and only the newest figures', () => {
  const outbox = new Outbox()
  outbox.add(update(1, { stage: 'Initializing' }))
  outbox.add(update(2))
  outbox.add(update(3, { measured }))
  outbox.add(update(4, { measured }))
  outbox.add(update(5, { stage: 'Successful', measured }))
  outbox.add(update(5, { stage: 'Successful', measured }))
  expect(outbox.waiting().map(({ seq }) => seq)).toEqual([1, 2, 4, 5])
  expect(outbox.hasEnds).toBe(true)
})

it('drops what is acknowledged, and what came before it', () => {
  const outbox = new Outbox()
  for (const seq of [1, 2, 3]) outbox.add(update(seq))
  outbox.acknowledge('e', 2)
  expect(outbox.waiting().map(({ seq }) => seq)).toEqual([3])
  outbox.acknowledge('e', 3)
  outbox.acknowledge('unknown', 1)
  expect(outbox.waiting()).toEqual([])
})
