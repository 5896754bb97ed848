import { describe, expect, it } from 'vitest'
import { createPasswords } from './password.ts'

describe('passwords', () => {
  it('accepts the right one and nothing else', async () => {
    const passwords = await createPasswords()
    const stored = await passwords.hash('correct horse')
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await passwords.check('correct horse', stored)).toBe(true)
    expect(await passwords.check('correct horse ', stored)).toBe(false)
    expect(await passwords.check('a password that nobody has', undefined)).toBe(false)
    expect(await passwords.check('anything', 'not a hash')).toBe(false)
  })

  it('turns logins away when too many wait, and recovers', async () => {
    const passwords = await createPasswords()
    const stored = await passwords.hash('pw')
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, () => passwords.check('pw', stored)),
    )
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.reason).toMatchObject({ code: 'too_many_logins', retryAfterSeconds: 1 })
    expect(await passwords.check('pw', stored)).toBe(true)
  })
})
