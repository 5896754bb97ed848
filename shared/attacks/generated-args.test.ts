import { describe, expect, test } from 'vitest'
import { attackArgs } from '../../test/fuzz/attack-args.ts'
import { randomOf } from '../../test/fuzz/random.ts'
import { ArgsError, checkParams, formatArgs, parseArgs } from './args.ts'
import type { AttackType } from './define.ts'
import { attackTypeNames, findAttackType, type AttackParams } from './index.ts'

/** Why arguments are refused; those that are not must read back as the same. */
function refusalOf(type: AttackType, args: readonly string[]): ArgsError | undefined {
  try {
    const params = parseArgs(type, args)
    expect(parseArgs(type, formatArgs(type, params))).toEqual(params)
    return undefined
  } catch (error) {
    if (error instanceof ArgsError) return error
    throw error
  }
}

describe.each(attackTypeNames)('generated arguments of %s', (name) => {
  const of = findAttackType(name) as AttackType

  test('mean the same when written down, read back and checked again', () => {
    let accepted = 0
    for (let at = 0; at < 3_000; at += 1) {
      const args = attackArgs(randomOf(7, at), of)
      let params: AttackParams
      try {
        params = parseArgs(of, args)
      } catch (error) {
        // Contradictions can be generated; everything else that is, can be meant.
        if (error instanceof ArgsError && error.message.includes('contradict')) continue
        throw new Error(`refused: ${args.join(' ')}`, { cause: error })
      }
      accepted += 1
      const written = formatArgs(of, params)
      expect(parseArgs(of, written)).toEqual(params)
      expect(checkParams(of, params)).toEqual(params)
      expect(checkParams(of, JSON.parse(JSON.stringify(params)))).toEqual(params)
      expect(written.length).toBeLessThanOrEqual(2 * Object.keys(of.params).length)
    }
    expect(accepted).toBeGreaterThan(1_500)
    expect(formatArgs(of, parseArgs(of, []))).toEqual([])
  })

  test('with something strange in them are refused in plain words, or mean what they say', () => {
    const strange = [
      '',
      ' ',
      '\0',
      '\n',
      ';',
      '$(reboot)',
      '-',
      '--',
      '=',
      '^',
      ',',
      'é',
      '\uD800',
      '{t:x}',
      '-x',
      '--__proto__',
      'x'.repeat(9_999),
    ]
    let refused = 0
    for (let at = 0; at < 3_000; at += 1) {
      const random = randomOf(8, at)
      const args = attackArgs(random, of)
      const where = random.int(0, args.length)
      const old = args[where] ?? ''
      const cut = random.int(0, old.length)
      args.splice(where, 1, old.slice(0, cut) + random.pick(strange) + old.slice(cut))
      const said = refusalOf(of, args)
      if (said === undefined) continue
      refused += 1
      expect(said.message).toMatch(/^[^\p{Cc}]{10,1000}\.$/u)
      expect(said.details.allowed).not.toBe('')
      expect(JSON.stringify(said.details).length).toBeLessThan(1_000)
    }
    expect(refused).toBeGreaterThan(1_000)
  })
})
