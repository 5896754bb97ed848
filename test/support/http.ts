import { connect } from 'node:net'

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number
  readonly reason: string
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  /** The body as JSON. @throws SyntaxError when it is none */
  readonly json: unknown
}

export interface RequestOptions {
  readonly headers?: Record<string, string>
  /** Sent as it is. */
  readonly text?: string
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as a form. */
  readonly form?: Record<string, string>
}

/**
 * One request over a socket of its own, with the path byte for byte as given: no client library
 * normalises, follows or hides anything.
 */
export async function request(
  baseUrl: string,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const url = new URL(baseUrl)
  const body = Buffer.from(bodyText(options))
  const headers = {
    host: url.host,
    connection: 'close',
    ...contentType(options),
    ...(body.length > 0 ? { 'content-length': String(body.length) } : {}),
    ...options.headers,
  }
  const head = [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')
  return await exchange(baseUrl, Buffer.concat([Buffer.from(head), body]))
}

/** Sends these bytes and reads one answer. */
export async function exchange(baseUrl: string, bytes: Uint8Array | string): Promise<Answer> {
  const url = new URL(baseUrl)
  const received = await new Promise<Buffer>((done, fail) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(url.port), url.hostname)
    const finish = () => done(Buffer.concat(chunks))
    socket.setTimeout(30_000, () => socket.destroy(new Error(`no answer: ${chunks.length}`)))
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', finish)
    // A server that refuses a body that is too large may reset once it has answered.
    socket.on('error', (error) => (chunks.length > 0 ? finish() : fail(error)))
  })
  return readAnswer(received)
}

function bodyText(options: RequestOptions): string {
  if (options.json !== undefined) return JSON.stringify(options.json)
  if (options.form) return new URLSearchParams(options.form).toString()
  return options.text ?? ''
}

function contentType(options: RequestOptions): Record<string, string> {
  if (options.json !== undefined) return { 'content-type': 'application/json' }
  if (options.form) return { 'content-type': 'application/x-www-form-urlencoded' }
  return {}
}

function readAnswer(bytes: Buffer): Answer {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) throw new Error(`Not an HTTP answer: ${bytes.toString().slice(0, 200)}`)
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const [, status, reason = ''] = /^HTTP\/1\.1 (\d{3}) ?(.*)$/.exec(statusLine) ?? []
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  const body = bytes.subarray(end + 4)
  const text = (headers.get('transfer-encoding') === 'chunked' ? unchunk(body) : body).toString(
    'utf8',
  )
  return {
    status: Number(status),
    reason,
    headers,
    text,
    get json() {
      return JSON.parse(text) as unknown
    },
  }
}

function unchunk(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const line = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.subarray(at, line).toString(), 16)
    if (!(size > 0)) return Buffer.concat(parts)
    parts.push(body.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}
