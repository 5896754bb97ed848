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
    const ways = [
      { TEMBLOR_INSECURE: 'yes' },
      { TEMBLOR_TLS_CERT: 'cert.pem', TEMBLOR_TLS_KEY: 'key.pem' },
      { TEMBLOR_TRUSTED_PROXIES: '10.0.0.0/8' },
    ]
    for (const way of ways)
      expect(readConfig({ TEMBLOR_LISTEN: '0.0.0.0', ...way }).listen).toBe('0.0.0.0')
  })

  it('opens the port of the agents alone, which always speak mutual TLS', () => {
    const config = readConfig({ TEMBLOR_GRPC_LISTEN: '0.0.0.0' })
    expect(config).toMatchObject({ listen: '127.0.0.1', grpcListen: '0.0.0.0' })
  })

  it('wants certificate and key together', () => {
    expect(() => readConfig({ TEMBLOR_TLS_CERT: 'cert.pem' })).toThrow(/belong together/)
  })
})
