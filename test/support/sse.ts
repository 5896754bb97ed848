import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import type { ExecutionEvent } from '../../shared/api/events.ts'
import type { Api } from './api.ts'
import { until } from './until.ts'

/** One server-sent event. */
export interface ServerEvent {
  readonly name: string
  readonly id: string | undefined
  readonly data: unknown
}

/** An open stream of events and what it brought until now. */
export interface Watcher extends Disposable {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly events: readonly ServerEvent[]
  /** Those named `execution`. */
  moves(): ExecutionEvent[]
  /** Whether the server has ended it. */
  ended(): boolean
  /** Waits for `event: end` and for the end of the stream. */
  untilEnd(withinMs?: number): Promise<void>
  close(): void
}

/** Opens a stream of events. Resolves when the server has begun to answer. */
export async function watch(
  api: Api,
  path: string,
  headers: Record<string, string> = {},
): Promise<Watcher> {
  const [request, response] = await open(api, path, headers)
  const events: ServerEvent[] = []
  let isOver = false
  let rest = ''
  response.setEncoding('utf8')
  response.on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    events.push(...blocks.flatMap((block) => readEvent(block) ?? []))
  })
  response.on('close', () => (isOver = true))
  response.on('error', () => (isOver = true))
  const close = () => void request.destroy()
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    moves: () =>
      events.filter((one) => one.name === 'execution').map((one) => one.data as ExecutionEvent),
    ended: () => isOver,
    async untilEnd(withinMs = 20_000) {
      await until(`end of ${path}`, () => isOver, withinMs)
    },
    close,
    [Symbol.dispose]: close,
  }
}

function open(
  api: Api,
  path: string,
  headers: Record<string, string>,
): Promise<[ClientRequest, IncomingMessage]> {
  return new Promise((done, fail) => {
    const request = httpRequest(`${new URL(api.baseUrl).origin}/v1${path}`, {
      headers: { authorization: api.session.header, accept: 'text/event-stream', ...headers },
      agent: false,
    })
    request.on('error', fail)
    request.on('response', (response) => done([request, response]))
    request.end()
  })
}

function readEvent(block: string): ServerEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const
    }),
  )
  const data = fields.get('data')
  if (data === undefined) return undefined
  return { name: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) }
}
