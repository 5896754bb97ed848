import { describe, expect, test } from 'vitest'
import { parseRelease, readFacts } from './facts.ts'

describe('the name and version of the system', () => {
  test.each([
    [
      'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\n',
      { name: 'Debian GNU/Linux', version: '12' },
    ],
    [
      "NAME='Alpine Linux'\nID=alpine\nVERSION_ID=3.20.3\n",
      { name: 'Alpine Linux', version: '3.20.3' },
    ],
    [
      '# rolling\nNAME="Arch Linux"\nBUILD_ID=rolling\n',
      { name: 'Arch Linux', version: 'unknown' },
    ],
    ['', { name: 'unknown', version: 'unknown' }],
  ])('of %j', (text, expected) => {
    expect(parseRelease(text)).toEqual(expected)
  })
})

test('this host is known by its cores, its memory and its native tags', () => {
  const facts = readFacts()
  expect(facts).toMatchObject({ osType: 'Linux', cpuCores: expect.any(Number) as number })
  expect(facts.memoryBytes).toBeGreaterThan(2 ** 28)
  expect(facts.nativeTags).toMatchObject({ 'os-type': 'Linux', 'os-version': facts.osVersion })
})
