import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

describe('settings of the controller', () => {
  it('listens on loopback, on the documented ports', () => {
    const config = readConfig({})
    expect(config).toMatchObject({ listen: '127.0.0.1', httpPort: 8080, grpcPort: 8081 })
  })

  it('names every fault at once, with the value and what is allowed', () => {
    const env = { TEMBLOR_HTTP_PORT: '80a', TEMBLOR_GRPC_PORT: '70000', TEMBLOR_LOG_LEVEL: 'loud' }
    const read = () => readConfig(env)
    expect(read).toThrow(/TEMBLOR_HTTP_PORT cannot be "80a".*from 0 to 65535/)
    expect(read).toThrow(/TEMBLOR_GRPC_PORT cannot be "70000"/)
    expect(read).toThrow(/TEMBLOR_LOG_LEVEL cannot be "loud"/)
  })

  it('does not open an address beyond loopback without TLS unless told so', () => {
    expect(() => readConfig({ TEMBLOR_LISTEN: '0.0.0.0' })).toThrow(/TEMBLOR_INSECURE=yes/)
    expect(readConfig({ TEMBLOR_LISTEN: '0.0.0.0', TEMBLOR_INSECURE: 'yes' }).listen).toBe(
      '0.0.0.0',
    )
  })
})
