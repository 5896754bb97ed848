import { connect } from 'node:net'
import type { Answer } from '../support/http.ts'

/** What came back: an answer, a stream that goes on, a closed connection, or nothing in time. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'stream' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'silent' }

/** Sends these bytes over a socket of its own and reads the first answer. */
export function exchangeOnce(port: number, bytes: Buffer, withinMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = Buffer.alloc(0)
    const timer = setTimeout(() => done({ kind: 'silent' }), withinMs)
    const done = (outcome: Outcome) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(outcome)
    }
    const atEnd = () => done(read(received, true) ?? { kind: 'closed' })
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      const outcome = read(received, false)
      if (outcome) done(outcome)
    })
    socket.on('end', atEnd)
    socket.on('error', atEnd)
    socket.on('close', atEnd)
  })
}

function read(bytes: Buffer, isOver: boolean): Outcome | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const [, status, reason = ''] = /^HTTP\/1\.1 (\d{3}) ?(.*)$/.exec(statusLine) ?? []
  if (status === '100') return read(bytes.subarray(end + 4), isOver)
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  if (headers.get('content-type')?.startsWith('text/event-stream')) return { kind: 'stream' }
  const body = bytes.subarray(end + 4)
  const length = Number(headers.get('content-length') ?? Number.NaN)
  if (!isOver && !(body.length >= length)) return undefined
  // Behind it may stand the answer to what the server took for a second request.
  const text = body.subarray(0, Number.isNaN(length) ? body.length : length).toString('utf8')
  return {
    kind: 'answer',
    answer: {
      status: Number(status),
      reason,
      headers,
      text,
      get json() {
        return JSON.parse(text) as unknown
      },
    },
  }
}
