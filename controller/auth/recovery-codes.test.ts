import { expect, test } from 'vitest'
import { recoveryCodesIn } from '../../shared/api/mfa.ts'
import { canonicalRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'

test('ten codes of 80 bits, all different, found in a text', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  expect(recoveryCodesIn(`Success\n\nKeep them.\n\n${codes.join('\n')}\n`)).toEqual(codes)
  const letters = new Set(Array.from({ length: 40 }, newRecoveryCodes).flat().join(''))
  expect([...letters].sort().join('')).toBe('-234567abcdefghijklmnopqrstuvwxyz')
})

test('they are typed with and without lines, in any case', () => {
  for (const text of ['abcd-efgh-ijkl-mn23', ' ABCD EFGH IJKL MN23', 'abcdefghijklmn23'])
    expect(canonicalRecoveryCode(text)).toBe('abcdefghijklmn23')
  for (const text of ['', '123456', 'abcd-efgh-ijkl-mn2', 'abcd-efgh-ijkl-mn10'])
    expect(canonicalRecoveryCode(text)).toBeUndefined()
})
