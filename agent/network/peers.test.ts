import { describe, expect, it } from 'vitest'
import { readEndpoint } from './peers.ts'

describe('an endpoint in /proc/net/tcp', () => {
  it.each([
    ['0100007F:1F90', '127.0.0.1', 8080],
    ['02004D0A:01BB', '10.77.0.2', 443],
    ['000000000000000000000000010000FF:0035', '::ff00:1', 53],
    ['000080FE00000000FF5D1A02A0C83EFE:0016', 'fe80::21a:5dff:fe3e:c8a0', 22],
    ['0000000000000000FFFF00000500000A:0016', '10.0.0.5', 22],
    ['B80D0120000000000000000001000000:FFFF', '2001:db8::1', 65_535],
  ])('%s is %s port %i', (text, address, port) => {
    expect(readEndpoint(text)).toEqual({ address, port })
  })
})
