import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isMailAddress, type MailSettings } from './settings.ts'

/** A mail of plain text to one person. */
export interface Mail {
  /** What it is about, for the log: nothing else of a mail gets there. */
  readonly kind: 'invitation' | 'password reset'
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** What became of a mail. */
export interface LastMail {
  readonly isSent: boolean
  readonly atMs: number
  /** Code of the error. */
  readonly code?: string
}

/** Sends mails. */
export interface Mailer {
  /** Takes a mail to be sent and returns at once; what becomes of it is in the log. */
  post(mail: Mail): void
  /** What became of the last mail; undefined while there was none. */
  last(): LastMail | undefined
  /** Waits some seconds for what is being sent. */
  close(): Promise<void>
}

/** How long one mail may take from the first packet to the last, ms. */
const mailWithinMs = 60_000
/** How long the server may keep silent, ms. */
const silenceMs = 20_000
const closeWithinMs = 5_000
const atOnce = 4
const waitingLimit = 500

/**
 * Makes the mailer; undefined when no mail server is set.
 * @throws Error when the file of authorities cannot be read
 */
export function createMailer(
  settings: MailSettings | undefined,
  logger: Logger,
  withinMs = mailWithinMs,
): Mailer | undefined {
  if (!settings) return undefined
  const ca = settings.caFile ? readFileSync(settings.caFile) : undefined
  let last: LastMail | undefined
  const waiting: Mail[] = []
  const underWay = new Set<Promise<void>>()
  const sendOne = async (mail: Mail) => {
    const to = mail.to.slice(mail.to.lastIndexOf('@') + 1)
    try {
      await send(settings, ca, mail, withinMs)
      last = { isSent: true, atMs: Date.now() }
      logger.info({ mail: mail.kind, to }, 'mail sent')
    } catch (error) {
      // Only codes: the text of an error may quote the mail, which holds a secret.
      const { code, responseCode } = error as { code?: string; responseCode?: number }
      last = { isSent: false, atMs: Date.now(), code: code ?? 'unknown' }
      logger.warn({ mail: mail.kind, to, code, responseCode }, 'mail was not sent')
    }
  }
  const next = () => {
    const mail = underWay.size < atOnce ? waiting.shift() : undefined
    if (!mail) return
    const sending = sendOne(mail).finally(() => {
      underWay.delete(sending)
      next()
    })
    underWay.add(sending)
  }
  return {
    last: () => last,
    post(mail) {
      if (waiting.length >= waitingLimit) {
        logger.warn({ mail: mail.kind }, 'mail was not sent: too many are waiting')
        return
      }
      waiting.push(mail)
      next()
    },
    async close() {
      const sent = Promise.all(underWay)
      await Promise.race([sent, delay(closeWithinMs, undefined, { ref: false })])
      if (waiting.length > 0) logger.warn({ count: waiting.length }, 'mails were not sent')
      waiting.length = 0
    },
  }
}

/** Over a socket of its own, so that the time it may take is ours to end. */
async function send(
  settings: MailSettings,
  ca: Buffer | undefined,
  { to, subject, text }: Mail,
  withinMs: number,
): Promise<void> {
  if (!isMailAddress(to)) throw Object.assign(new Error('no address'), { code: 'EADDRESS' })
  const { host, port, isTls, needsTls, login, from } = settings
  const socket = connect({ host, port })
  // Whoever waits is told by what it waits for.
  socket.on('error', () => undefined)
  let timer: NodeJS.Timeout | undefined
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      socket.destroy()
      reject(Object.assign(new Error('It took too long.'), { code: 'ETIMEDOUT' }))
    }, withinMs)
  })
  try {
    await Promise.race([once(socket, 'connect'), ended])
    // Loaded here: many controllers never send a mail.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      host,
      port,
      connection: socket,
      secure: isTls,
      requireTLS: needsTls && !isTls,
      ...(ca ? { tls: { ca } } : {}),
      ...(login ? { auth: login } : {}),
      connectionTimeout: silenceMs,
      greetingTimeout: silenceMs,
      socketTimeout: silenceMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const sending = transport.sendMail({ from, to: { name: '', address: to }, subject, text })
    await Promise.race([sending, ended])
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}
