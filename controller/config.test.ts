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

  it('knows Redis as one server, Cluster or Sentinel, and repeats no password', () => {
    const url = 'redis+cluster://:secret@a:1'
    expect(readConfig({ TEMBLOR_REDIS_URL: url }).redisUrl).toBe(url)
    const read = () => readConfig({ TEMBLOR_REDIS_URL: `${url}x` })
    expect(read).toThrow(/TEMBLOR_REDIS_URL names no Redis. Allowed: .*redis\+sentinel/)
    expect(read).not.toThrow(/secret/)
  })

  it('keeps attacks for 90 days after their end and silent hosts for 30 unless told otherwise', () => {
    expect(readConfig({}).attackDays).toBe(90)
    expect(readConfig({ TEMBLOR_ATTACK_DAYS: '0' }).attackDays).toBe(0)
    // A certificate of an agent lasts as long.
    expect(readConfig({}).hostDays).toBe(30)
    expect(readConfig({ TEMBLOR_HOST_DAYS: '0' }).hostDays).toBe(0)
    const env = { TEMBLOR_ATTACK_DAYS: '1.5' }
    expect(() => readConfig(env)).toThrow(/TEMBLOR_ATTACK_DAYS cannot be "1.5".*from 0 to 36500/)
  })

  it('wants certificate and key together', () => {
    expect(() => readConfig({ TEMBLOR_TLS_CERT: 'cert.pem' })).toThrow(/belong together/)
  })

  it('reads the mail server, and wants the sender and the public address with it', () => {
    const mail = {
      TEMBLOR_SMTP_URL: 'smtp://temblor%40x:p%3Aw@[::1]:2525',
      TEMBLOR_MAIL_FROM: 'Temblor <temblor@example.org>',
      TEMBLOR_PUBLIC_URL: 'https://temblor.example.org/',
    }
    expect(readConfig(mail)).toMatchObject({
      publicUrl: 'https://temblor.example.org',
      mail: {
        host: '::1',
        port: 2525,
        isTls: false,
        needsTls: false,
        login: { user: 'temblor@x', pass: 'p:w' },
        from: { name: 'Temblor', address: 'temblor@example.org' },
      },
    })
    expect(readConfig({}).mail).toBeUndefined()
    const outside = { ...mail, TEMBLOR_SMTP_URL: 'smtp://mail.example.org' }
    expect(readConfig(outside).mail).toMatchObject({ port: 587, needsTls: true, login: undefined })
    expect(readConfig({ ...outside, TEMBLOR_INSECURE: 'yes' }).mail?.needsTls).toBe(false)
    const tls = { ...mail, TEMBLOR_SMTP_URL: 'smtps://mail.example.org' }
    expect(readConfig(tls).mail).toMatchObject({ port: 465, isTls: true })
    expect(() => readConfig({ TEMBLOR_SMTP_URL: 'smtp://mail' })).toThrow(
      /needs TEMBLOR_MAIL_FROM[\s\S]*needs TEMBLOR_PUBLIC_URL/,
    )
  })

  it.each([
    'mail.example.org',
    'http://mail',
    'smtp://',
    'smtp://a/path',
    'smtp://a?x=1',
    'smtp://%zz:s3cret@a',
  ])('refuses the mail server %j without repeating it', (TEMBLOR_SMTP_URL) => {
    const env = {
      TEMBLOR_SMTP_URL,
      TEMBLOR_MAIL_FROM: 'a@b.c',
      TEMBLOR_PUBLIC_URL: 'http://a',
    }
    expect(() => readConfig(env)).toThrow(/TEMBLOR_SMTP_URL cannot be/)
    expect(() => readConfig(env)).not.toThrow(/s3cret|path\./)
  })

  it.each(['nobody', 'a@b.c, d@e.f', 'A <a@b.c', 'A\r\nBcc: x <a@b.c>', 'A <a@b.c> <d@e.f>'])(
    'refuses the sender %j',
    (TEMBLOR_MAIL_FROM) => {
      expect(() => readConfig({ TEMBLOR_MAIL_FROM })).toThrow(/TEMBLOR_MAIL_FROM cannot be/)
    },
  )

  it.each([
    'temblor.example.org',
    'ftp://a',
    'http://a/path',
    'http://a?x',
    'http://u:p@a',
    'http://',
  ])('refuses the public address %j', (TEMBLOR_PUBLIC_URL) => {
    expect(() => readConfig({ TEMBLOR_PUBLIC_URL })).toThrow(/TEMBLOR_PUBLIC_URL cannot be/)
  })
})
