import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { defaultText, flagName, paramSpecs, valueName } from './args.ts'
import type { AttackType } from './define.ts'
import { attackTypeNames, findAttackType } from './index.ts'

/** The rows that the table of flags must have. */
const rows = attackTypeNames.flatMap((name) =>
  paramSpecs(findAttackType(name) as AttackType).map((spec) => {
    const value = valueName(spec)
    const flag = value === undefined ? flagName(spec.flag) : `${flagName(spec.flag)} <${value}>`
    const standard = spec.schema.type === 'boolean' ? 'off' : defaultText(spec)
    return `| \`${name}\` | \`${flag}\` | ${spec.schema.title} | ${standard} | ${spec.schema.description} |`
  }),
)

test('docs/api.md lists every flag of every attack type as it is defined', () => {
  const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
  const [, table = ''] = /^\| attack .*\n\|[ |-]+\n((?:\|.*\n)+)/m.exec(text) ?? []
  const listed = table
    .trim()
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' '))
  expect(listed).toEqual(rows)
})
