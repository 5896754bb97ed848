import { expect, test } from 'vitest'
import { stageSpans } from './stage-spans.ts'

const at = (seconds: number) => new Date(1e12 + seconds * 1000).toISOString()
const attack = { created_at: at(0), length_seconds: 10 }
const states = [
  { stage: 'Pending', timestamp: at(0) },
  { stage: 'Running', timestamp: at(1) },
] as const

test('the stage that a target is in grows until now', () => {
  expect(stageSpans(attack, [...states], 1e12 + 4000)).toEqual({
    spans: [
      { stage: 'Pending', lengthMs: 1000 },
      { stage: 'Running', lengthMs: 3000 },
    ],
    restMs: 6000,
  })
})

test('after the end nothing grows, and nothing is left of a longer one', () => {
  const over = [...states, { stage: 'Successful' as const, timestamp: at(11) }]
  expect(stageSpans(attack, over, 0)).toEqual({
    spans: [
      { stage: 'Pending', lengthMs: 1000 },
      { stage: 'Running', lengthMs: 10_000 },
      { stage: 'Successful', lengthMs: 0 },
    ],
    restMs: 0,
  })
})

test('a clock that is behind makes no length negative', () => {
  expect(stageSpans(attack, [...states], 0).spans.at(-1)).toEqual({
    stage: 'Running',
    lengthMs: 0,
  })
})
