import { Type } from 'typebox'

/** ISO 8601 in UTC with milliseconds and `Z`: clients parse with a fixed pattern. */
export const Timestamp = Type.String({
  format: 'date-time',
  pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`,
  examples: ['2026-11-20T23:14:08.120Z'],
})

/** Epoch milliseconds as the API writes them. */
export function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
