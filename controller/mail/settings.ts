/** The mail server and the sender, checked once at the start. */
export interface MailSettings {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; else STARTTLS. */
  readonly isTls: boolean
  /** Nothing is sent in the clear. */
  readonly needsTls: boolean
  readonly login: { readonly user: string; readonly pass: string } | undefined
  /** File with further authorities (PEM) that the server's certificate may be signed by. */
  readonly caFile: string | undefined
  readonly from: { readonly name: string; readonly address: string }
}

const ports = { 'smtp:': 587, 'smtps:': 465 } as const
const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/
const addressPattern = /^[^\s@<>()[\]\\,;:"|]{1,64}@[^\s@<>()[\]\\,;:"|]{1,189}$/

/** Whether a mail can go to this address: one address, nothing that a header could be broken with. */
export function isMailAddress(text: string): boolean {
  return addressPattern.test(text) && !/\p{Cc}/u.test(text)
}

/**
 * Reads TEMBLOR_SMTP_URL, TEMBLOR_MAIL_FROM and TEMBLOR_SMTP_CA; undefined without a mail server. What is
 * wrong is added to `faults`; the URL may hold a password and is never repeated.
 */
export function readMailSettings(
  env: NodeJS.ProcessEnv,
  faults: string[],
): MailSettings | undefined {
  const text = env['TEMBLOR_SMTP_URL']
  const from = readFrom(env['TEMBLOR_MAIL_FROM'], Boolean(text), faults)
  if (!text) return undefined
  if (!env['TEMBLOR_PUBLIC_URL'])
    faults.push(
      'TEMBLOR_SMTP_URL needs TEMBLOR_PUBLIC_URL: mails hold links to the address under which others reach the API.',
    )
  const url = readSmtpUrl(text)
  if (!url) {
    faults.push(
      'TEMBLOR_SMTP_URL cannot be what it is. Allowed: smtp://host, smtps://host:465 or smtp://user:password@host:587, ' +
        'special characters of user and password percent-encoded.',
    )
    return undefined
  }
  const { host, port, isTls, login } = url
  const needsTls = !loopback.test(host) && env['TEMBLOR_INSECURE'] !== 'yes'
  return { host, port, isTls, needsTls, login, from, caFile: env['TEMBLOR_SMTP_CA'] || undefined }
}

function readSmtpUrl(text: string) {
  const url = URL.parse(text)
  const usual = ports[url?.protocol as keyof typeof ports]
  if (!url?.hostname || !usual || !/^\/?$/.test(url.pathname) || url.search || url.hash)
    return undefined
  try {
    const [user, pass] = [url.username, url.password].map((part) => decodeURIComponent(part))
    return {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(url.port || usual),
      isTls: url.protocol === 'smtps:',
      login: user ? { user, pass: pass ?? '' } : undefined,
    }
  } catch {
    return undefined
  }
}

function readFrom(text: string | undefined, isNeeded: boolean, faults: string[]) {
  const [, name = '', inBrackets] = /^([^<>"]*)<([^<>]*)>$/.exec(text ?? '') ?? []
  const address = inBrackets ?? text ?? ''
  if (isMailAddress(address) && !/\p{Cc}/u.test(name)) return { name: name.trim(), address }
  if (text)
    faults.push(
      `TEMBLOR_MAIL_FROM cannot be ${JSON.stringify(text)}. Allowed: temblor@example.org or Temblor <temblor@example.org>.`,
    )
  else if (isNeeded) faults.push('TEMBLOR_SMTP_URL needs TEMBLOR_MAIL_FROM, the sender of mails.')
  return { name: '', address: '' }
}
