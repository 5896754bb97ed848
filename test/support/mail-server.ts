import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'
import { SMTPServer } from 'smtp-server'
import { until } from './until.ts'

x509.cryptoProvider.set(webcrypto as never)

/** A mail as the server got it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly headers: string
  /** With the soft line breaks of quoted-printable undone. */
  readonly text: string
  readonly isSecure: boolean
  readonly user: string | undefined
}

/** A real mail server on loopback that keeps what it gets. */
export interface MailServer extends AsyncDisposable {
  readonly port: number
  readonly mails: readonly ReceivedMail[]
  /** The newest mail to somebody, once it is there. */
  mailTo(address: string, count?: number): Promise<ReceivedMail>
  /** File of the authority that signed the certificate of the server, when it speaks TLS. */
  readonly caFile: string | undefined
  /** Connections on which a mail was still to come at the same time, at most. */
  mostAtOnce(): number
}

export interface MailServerOptions {
  /** Offers STARTTLS, or speaks TLS from the first byte. */
  readonly tls?: 'offered' | 'at once'
  readonly login?: { readonly user: string; readonly pass: string }
  /** Turns every recipient away with this text. */
  readonly refuse?: string
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { tls, login, refuse } = options
  const dir = mkdtempSync(join(tmpdir(), 'temblor-mail-'))
  const files = tls ? await certificateIn(dir) : undefined
  const mails: ReceivedMail[] = []
  const expecting = new Set<string>()
  let most = 0
  const server = new SMTPServer({
    secure: tls === 'at once',
    ...(files ? { cert: readFileSync(files.cert), key: readFileSync(files.key) } : {}),
    authOptional: !login,
    disabledCommands: [...(tls ? [] : ['STARTTLS']), ...(login ? [] : ['AUTH'])],
    logger: false,
    disableReverseLookup: true,
    onConnect({ id }, done) {
      expecting.add(id)
      most = Math.max(most, expecting.size)
      done()
    },
    onClose: ({ id }) => void expecting.delete(id),
    onAuth(given, _session, done) {
      const isRight = given.username === login?.user && given.password === login?.pass
      if (isRight) done(null, { user: given.username })
      else done(new Error('Invalid username or password'))
    },
    onRcptTo(_address, _session, done) {
      if (refuse) done(new Error(refuse))
      else done()
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const [headers = '', ...body] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n')
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          headers,
          text: plain(headers, body.join('\r\n\r\n')),
          isSecure: session.secure,
          user: session.user as string | undefined,
        })
        // Before whoever sent it knows: that a connection is gone is heard later than the next one comes.
        expecting.delete(session.id)
        done()
      })
    },
  })
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return {
    port: (listening.address() as { port: number }).port,
    mails,
    caFile: files?.cert,
    mostAtOnce: () => most,
    mailTo: (address, count = 1) =>
      until(`mail ${count} to ${address}`, async () => {
        const theirs = mails.filter(({ to }) => to.includes(address))
        return theirs.length >= count ? theirs.at(-1) : undefined
      }),
    async [Symbol.asyncDispose]() {
      await new Promise<void>((done) => {
        server.close(() => done())
      })
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The link in a mail. */
export function linkIn(mail: ReceivedMail): string {
  return /^https?:\/\/\S+$/m.exec(mail.text)?.[0] ?? ''
}

function plain(headers: string, body: string): string {
  const text = body.replaceAll('\r\n', '\n')
  if (/^content-transfer-encoding: base64/im.test(headers))
    return Buffer.from(text, 'base64').toString('utf8')
  if (!/^content-transfer-encoding: quoted-printable/im.test(headers)) return text
  const bytes = text
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** A certificate for localhost, signed by itself. */
async function certificateIn(dir: string): Promise<{ cert: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=localhost',
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  })
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  const files = { cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') }
  writeFileSync(files.cert, certificate.toString('pem'))
  writeFileSync(files.key, x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'), { mode: 0o600 })
  return files
}
