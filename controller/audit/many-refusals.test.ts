import { describe, expect, it } from 'vitest'
import type { AuditEvent } from './audit.ts'
import { createManyRefusals } from './many-refusals.ts'

const limit = { burst: 5, everyMs: 60_000, countMs: 60_000 }
const refusal = (name: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  action: 'session.login',
  actor: { kind: 'claimed', id: null, name },
  from: '10.0.0.1',
  companyId: 'acme',
  result: 'refused',
  code: 'wrong_password',
  ...more,
})

describe('many refusals', () => {
  it('are told one by one at first, then counted by kind, names and addresses', () => {
    const many = createManyRefusals(limit)
    const told = Array.from({ length: 105 }, (_, n) => many.take(refusal(`user ${n % 50}`)))
    expect(told.filter(Boolean)).toHaveLength(5)
    many.take(refusal('x', { code: 'locked_out', from: '10.0.0.2' }))
    const counted = many.counted()
    expect(counted).toMatchObject([
      { code: 'wrong_password', from: '10.0.0.1', actor: { id: null, name: '(several)' } },
      { code: 'locked_out', from: '10.0.0.2', actor: { name: 'x' }, detail: { times: 1 } },
    ])
    expect(counted[0]?.detail?.['times']).toBe(100)
    const names = (counted[0]?.detail?.['names'] ?? {}) as Record<string, number>
    expect(Object.keys(names)).toHaveLength(21)
    expect(Object.values(names).reduce((sum, one) => sum + one)).toBe(100)
    expect(many.counted()).toEqual([])
  })

  it('of one caller do not hide those of another, nor of another company', () => {
    const many = createManyRefusals(limit)
    const viewer = { kind: 'user', id: 'u1', name: 'ann' } as const
    for (let n = 0; n < 50; n += 1) many.take(refusal('nobody'))
    expect(many.take(refusal('nobody'))).toBeUndefined()
    expect(many.take(refusal('ann', { actor: viewer }))).toBeDefined()
    expect(many.take(refusal('nobody', { companyId: 'other' }))).toBeDefined()
  })
})
