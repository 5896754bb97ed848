import { describe, expect, it } from 'vitest'
import { cpu } from '../shared/attacks/cpu.ts'
import type { AttackType } from '../shared/attacks/define.ts'
import { noLimits, refusalByOwner, type OwnerLimits } from './owner-limits.ts'

const params = { lengthSeconds: 60, cores: 1, allCores: false, percent: 50 }
const container = { name: 'web', protected: false }

function refusal(limits: Partial<OwnerLimits>, change: object = {}): string | undefined {
  const type = cpu as unknown as AttackType
  return refusalByOwner(
    { ...noLimits, ...limits },
    { type, params, containersAtOnce: 0, ...change },
  )
}

describe('what the owner of a host allows', () => {
  it.each<[Partial<OwnerLimits>, object, string]>([
    [{ attackTypes: [] }, {}, 'no attacks'],
    [{ attackTypes: ['latency'] }, {}, 'TEMBLOR_ALLOW_ATTACKS'],
    [{ maxLengthSeconds: 59 }, {}, 'TEMBLOR_MAX_LENGTH_SECONDS'],
    [{ maxPercent: 49 }, {}, 'TEMBLOR_MAX_PERCENT'],
    [{ maxContainers: 1 }, { container, containersAtOnce: 2 }, 'TEMBLOR_MAX_CONTAINERS'],
    [{}, { container: { ...container, protected: true } }, 'temblor.protect=true'],
  ])('%j refuses %j naming %s', (limits, change, limit) => {
    expect(refusal(limits, change)).toContain(limit)
  })

  it('is everything up to the limit itself', () => {
    const limits = { attackTypes: ['cpu'], maxLengthSeconds: 60, maxPercent: 50, maxContainers: 2 }
    expect(refusal({ ...limits, shutdownForbidden: true })).toBeUndefined()
    expect(refusal(limits, { container, containersAtOnce: 2 })).toBeUndefined()
  })
})
