import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { AttackMetadata } from '../api/metadata.ts'
import { describeAttackTypes } from './describe.ts'
import { attackTypeNames } from './index.ts'

const described = describeAttackTypes()
const argument = (command: string, key: string) =>
  described.find((one) => one.command === command)?.args.find((one) => one.key === key)

test('every attack type is described, as the document of the API says', () => {
  expect(described.map((one) => one.command)).toEqual(attackTypeNames)
  for (const one of described) {
    expect([...Value.Errors(AttackMetadata, one)]).toEqual([])
    expect(JSON.stringify(one)).not.toMatch(/undefined|NaN|\[object/)
  }
})

test('a number has its limits and its unit', () => {
  expect(argument('latency', 'delayMs')).toEqual({
    name: 'Delay',
    key: 'delayMs',
    long: 'ms',
    short: 'm',
    type: 'Integer',
    multiple: false,
    required: false,
    advanced: false,
    default: 100,
    minimum: 1,
    maximum: 60_000,
    unit: 'ms',
    usage: '-m/--ms <ms>',
    info: 'How much longer a round trip takes. Allowed: a whole number from 1 to 60000 (ms).',
  })
})

test('a list is text that may be given several times, and says how', () => {
  expect(argument('blackhole', 'remotePorts')).toMatchObject({
    type: 'String',
    multiple: true,
    default: ['^53'],
    usage: '-p/--egress-port <port>',
    info: expect.stringContaining('separated by commas; ^ in front of one spares it') as string,
  })
  expect(argument('blackhole', 'addresses')?.default).toEqual([])
})

test('a switch takes no value, and its short form may be missing', () => {
  expect(argument('shutdown', 'crash')).toMatchObject({
    type: 'Boolean',
    multiple: false,
    short: '',
    default: false,
    usage: '--crash',
  })
})

test('the usage of a type is a line that one can follow', () => {
  expect(described.find((one) => one.command === 'latency')?.usage).toBe(
    'latency [-l/--length <s>] [-m/--ms <ms>] [-i/--ipaddress <address>] [-d/--device <device>] [-h/--hostname <hostname>] [-p/--egress-port <port>] [-s/--src-port <port>] [-P/--ipprotocol <protocol>] [-E/--no-derived-exclusion-rules]',
  )
})
