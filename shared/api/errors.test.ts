import { expect, test } from 'vitest'
import { ApiError, errorCatalogue, type ErrorCode } from './errors.ts'
import { timestamp } from './timestamp.ts'

const codes = Object.keys(errorCatalogue) as ErrorCode[]

test.each(codes)('%s has an HTTP status of an error and says what to do', (code) => {
  const { status, hint } = errorCatalogue[code]
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(600)
  expect(hint).toMatch(/^[A-Z].+\.$/)
  expect(new ApiError(code, 'text').status).toBe(status)
})

test('an error keeps what the caller needs', () => {
  const cause = new Error('inner')
  const error = new ApiError('too_many_requests', 'Too many.', {
    details: { limit: 600 },
    retryAfterSeconds: 7,
    cause,
  })
  expect(error).toMatchObject({
    name: 'ApiError',
    code: 'too_many_requests',
    status: 429,
    message: 'Too many.',
    details: { limit: 600 },
    retryAfterSeconds: 7,
    cause,
  })
  expect(new ApiError('internal', 'x').details).toBeUndefined()
})

test('times are written with milliseconds and Z', () => {
  expect(timestamp(0)).toBe('1970-01-01T00:00:00.000Z')
  expect(timestamp(1_795_216_448_120)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})
