import { expect, test } from 'vitest'
import { newSeed, otpauthUrl, stepOfCode } from './totp.ts'

/** The seed of RFC 6238, appendix B: "12345678901234567890". */
const seed = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

/** Times and the last six digits of what the appendix lists for SHA-1. */
const vectors = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const

test.each(vectors)('RFC 6238: the code at %i s is %s', (seconds, code) => {
  const step = Math.floor(seconds / 30)
  expect(stepOfCode(seed, code, seconds * 1000)).toBe(step)
  // Good in the steps beside its own, and no further.
  const begin = step * 30_000
  expect(stepOfCode(seed, code, begin - 30_000)).toBe(step)
  expect(stepOfCode(seed, code, begin + 59_999)).toBe(step)
  expect(stepOfCode(seed, code, begin - 30_001)).toBeUndefined()
  expect(stepOfCode(seed, code, begin + 60_000)).toBeUndefined()
})

test('a number lost its leading zeros on the way', () => {
  expect(stepOfCode(seed, '5924', 1_234_567_890_000)).toBe(41_152_263)
})

test.each(['', '28708', '2870821', '28708a', ' 287082', '２８７０８２', '-1', '1e5'])(
  'no code: "%s"',
  (code) => {
    expect(stepOfCode(seed, code, 59_000)).toBeUndefined()
  },
)

test('a seed is 160 bits, another each time; authenticators are told whose it is', () => {
  const made = newSeed()
  expect(made).toMatch(/^[A-Z2-7]{32}$/)
  expect(newSeed()).not.toBe(made)
  const url = new URL(otpauthUrl(made, 'ann+x@example.com'))
  expect(url.protocol + url.host).toBe('otpauth:totp')
  expect(decodeURIComponent(url.pathname)).toBe('/Temblor:ann+x@example.com')
  expect(url.searchParams.get('secret')).toBe(made)
  expect(stepOfCode('no seed', '123456', 0)).toBeUndefined()
})
