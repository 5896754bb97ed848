import { describe, expect, it } from 'vitest'
import { tolerantUrl } from './tolerance.ts'

describe('addresses as clients send them', () => {
  it.each([
    ['/v1/attacks', '/v1/attacks'],
    ['/v1/attacks/?&teamId=T&', '/v1/attacks/?teamId=T'],
    ['/v1/attacks?&', '/v1/attacks'],
    ['/v1/attacks?a=1&&b=2?', '/v1/attacks?a=1&b=2?'],
    [
      '/v1%E2%80%8B/companies%E2%80%8B/c%e2%80%8b/users?x=%E2%80%8B',
      '/v1/companies/c/users?x=%E2%80%8B',
    ],
  ])('reads %s as %s', (sent, read) => {
    expect(tolerantUrl(sent)).toBe(read)
  })
})
