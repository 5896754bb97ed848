import { describe, expect, test } from 'vitest'
import { cpu, cpuLoadCores } from './cpu.ts'
import { attackTypeNames, findAttackType } from './index.ts'

const params = { lengthSeconds: 60, cores: 1, allCores: false, percent: 100 }

describe('the load of a cpu attack', () => {
  test.each([
    [{ ...params }, 2, 1],
    [{ ...params, percent: 50 }, 2, 0.5],
    [{ ...params, cores: 2, percent: 25 }, 4, 0.5],
    [{ ...params, allCores: true }, 4, 4],
    [{ ...params, allCores: true, percent: 50 }, 4, 2],
    [{ ...params, cores: 8 }, 2, 2],
    [{ ...params, cores: 1 }, 0.5, 0.5],
    [{ ...params, allCores: true, percent: 50 }, 0.5, 0.25],
  ])('%j on %d cores is %d cores', (given, capacity, load) => {
    expect(cpuLoadCores(given, capacity)).toBe(load)
  })

  test('what was asked is stated as a share of the capacity of the target', () => {
    expect(cpu.requested({ ...params, percent: 50 }, { cores: 2 })).toEqual({
      metric: 'cpu',
      value: 25,
      unit: 'percent_of_capacity',
      detail: { load_cores: 0.5, capacity_cores: 2 },
    })
    expect(cpu.requested({ ...params, percent: 30 }, { cores: 0.5 }).value).toBe(30)
    expect(cpu.requested({ ...params, cores: 9 }, { cores: 4 }).value).toBe(100)
  })

  test('it lasts as long as asked', () => {
    expect(cpu.lengthSeconds({ ...params, lengthSeconds: 7 })).toBe(7)
  })
})

describe('the catalogue', () => {
  test('finds a type in any case and nothing else', () => {
    expect(findAttackType('cpu')?.type).toBe('cpu')
    expect(findAttackType('CPU')?.type).toBe('cpu')
    for (const name of ['', 'cpus', 'constructor', '__proto__', 'toString', ' cpu'])
      expect(findAttackType(name)).toBeUndefined()
    expect(attackTypeNames).toContain('cpu')
  })

  test('every type has a flag for each parameter, no flag twice, and a length of its own', () => {
    for (const name of attackTypeNames) {
      const type = findAttackType(name)
      expect(type?.type).toBe(name)
      const flags = Object.values(type?.flags ?? {})
      expect(Object.keys(type?.flags ?? {})).toEqual(Object.keys(type?.params ?? {}))
      const shorts = flags.flatMap((flag) => flag.short ?? [])
      expect(new Set(shorts).size).toBe(shorts.length)
      expect(new Set(flags.map((flag) => flag.long)).size).toBe(flags.length)
      expect(type?.targets.length).toBeGreaterThan(0)
    }
  })
})
