import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pino from 'pino'
import { expect, test } from 'vitest'
import { createMailer, type Mail } from '../../controller/mail/mailer.ts'
import type { MailSettings } from '../../controller/mail/settings.ts'
import { startMailServer } from '../support/mail-server.ts'
import { until } from '../support/until.ts'

const secret = 'https://temblor.example.org/invitation#code=very-secret'
const login = { user: 'temblor', pass: 'p@ss word' }
const mailTo = (to: string): Mail => ({
  kind: 'invitation',
  to,
  subject: 'Invitation to Temblor',
  text: `Grüße\n\n${secret}\n`,
})
const settings = (port: number, more: Partial<MailSettings> = {}): MailSettings => ({
  host: 'localhost',
  port,
  isTls: false,
  needsTls: false,
  login: undefined,
  caFile: undefined,
  from: { name: 'Temblor', address: 'temblor@example.org' },
  ...more,
})

/** A mailer with its log, a line each. */
function mailerWithLog(given: MailSettings, withinMs?: number) {
  const lines: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const mailer = createMailer(given, logger, withinMs)
  if (!mailer) throw new Error('no mailer')
  return { mailer, lines, log: () => lines.join('') }
}

test('a mail is plain text from the sender to one person', async () => {
  await using server = await startMailServer()
  const { mailer, log } = mailerWithLog(settings(server.port))
  mailer.post(mailTo('ann@example.com'))
  const mail = await server.mailTo('ann@example.com')
  expect(mail).toMatchObject({ from: 'temblor@example.org', to: ['ann@example.com'] })
  expect(mail.headers).toMatch(/^From: Temblor <temblor@example\.org>$/m)
  expect(mail.headers).toMatch(/^Subject: Invitation to Temblor\r?$/m)
  expect(mail.headers).toMatch(/^Content-Type: text\/plain; charset=utf-8/im)
  expect(mail.text).toContain(`Grüße\n\n${secret}`)
  await until('the log says so', () => log().includes('mail sent'))
  expect(log()).not.toContain('very-secret')
  await mailer.close()
})

test.each([
  ['STARTTLS', { tls: 'offered', login } as const, { needsTls: true, login }],
  ['TLS at once', { tls: 'at once', login } as const, { isTls: true, needsTls: true, login }],
])('over %s with a login', async (_, offered, more) => {
  await using server = await startMailServer(offered)
  const { mailer } = mailerWithLog(settings(server.port, { ...more, caFile: server.caFile }))
  mailer.post(mailTo('ann@example.com'))
  expect(await server.mailTo('ann@example.com')).toMatchObject({ isSecure: true, user: 'temblor' })
  await mailer.close()
})

test.each([
  ['without TLS where it is needed', {}, { needsTls: true }],
  ['to a server with a certificate of nobody we know', { tls: 'offered' } as const, {}],
  ['with a wrong login', { login }, { login: { user: 'temblor', pass: 'wrong' } }],
  ['that the server refuses', { refuse: `no ${secret}` }, {}],
])('no mail goes %s, and the log says so without what is in it', async (_, offered, more) => {
  await using server = await startMailServer(offered)
  const { mailer, log } = mailerWithLog(settings(server.port, more))
  mailer.post(mailTo('ann@example.com'))
  await until('the log says so', () => log().includes('mail was not sent'))
  expect(server.mails).toEqual([])
  expect(log()).not.toMatch(/very-secret|wrong"/)
  await mailer.close()
})

test.each([
  'ann@example.com\r\nBcc: eve@example.com',
  'ann@example.com, eve@example.com',
  'Ann <ann@example.com>',
  'ann@example.com>\r\nRCPT TO:<eve@example.com',
  '"ann@example.com',
])('%j is no address: nobody gets anything', async (address) => {
  await using server = await startMailServer()
  const { mailer, log } = mailerWithLog(settings(server.port))
  mailer.post(mailTo(address))
  await until('the log says so', () => log().includes('EADDRESS'))
  mailer.post(mailTo('ann@example.com'))
  await server.mailTo('ann@example.com')
  expect(server.mails.length).toBe(1)
  await mailer.close()
})

test('a server that says nothing holds nobody up, and the next mail is sent', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const { mailer, log } = mailerWithLog(settings(port, { host: '127.0.0.1' }), 300)
  mailer.post(mailTo('ann@example.com'))
  expect(mailer.last()).toBeUndefined()
  await until('the log says so', () => log().includes('ETIMEDOUT'))
  await until('the connection is closed', () => sockets.every((socket) => socket.readableEnded))
  await mailer.close()
  silent.close()
})

test('many mails go out, four at a time, and closing waits for them', async () => {
  await using server = await startMailServer()
  const { mailer, lines } = mailerWithLog(settings(server.port))
  for (let n = 0; n < 20; n += 1) mailer.post(mailTo(`n${n}@example.com`))
  // The mailer knows it later than the server, and closing waits for no more than what is on its way.
  await until('all are sent', () => lines.filter((line) => /mail sent/.test(line)).length === 20)
  expect(server.mails.length).toBe(20)
  expect(new Set(server.mails.flatMap(({ to }) => to)).size).toBe(20)
  mailer.post(mailTo('last@example.com'))
  await mailer.close()
  await delay(0)
  expect(server.mails.length).toBe(21)
  expect(server.mostAtOnce()).toBeLessThanOrEqual(4)
})
