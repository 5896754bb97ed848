import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../../shared/api/errors.ts'
import { CliError } from '../exit-codes.ts'
import { createSseParser, type SseEvent, type SseParser } from '../../../shared/parse-sse.ts'

/** Opens the stream after the event of this id. */
export type OpenStream = (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>

/** How patient to be, in ms. */
export interface Patience {
  /** Without any sign of the controller for so long it is given up. */
  readonly lostMs: number
  /** A connection on which nothing comes for so long is dead: a comment comes every 15 s. */
  readonly silentMs: number
}

const usualPatience: Patience = { lostMs: 30_000, silentMs: 45_000 }
/** A connection that lasted this long was a good one, even when it told nothing. */
const goodConnectionMs = 5_000
const retryMs = 1_000

/**
 * The events of a stream, connected again after the last event whenever it breaks. Ends with the
 * signal. @throws CliError when the controller stays away, ApiError when it refuses
 */
export async function* followEvents(
  open: OpenStream,
  signal: AbortSignal,
  patience: Patience = usualPatience,
): AsyncGenerator<SseEvent> {
  let connection: Connection = { parser: createSseParser(), isHeard: false }
  let lastId: string | undefined
  let goodAt = performance.now()
  while (!signal.aborted) {
    const connectedAt = performance.now()
    let problem = 'it closed the connection'
    try {
      connection = { parser: createSseParser(), isHeard: false }
      for await (const event of readConnection(open, lastId, signal, connection, patience)) {
        goodAt = performance.now()
        yield event
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error)) throw error
      problem = problemOf(error)
    }
    lastId = connection.parser.lastId || lastId
    const now = performance.now()
    if (connection.isHeard && now - connectedAt > goodConnectionMs) goodAt = now
    if (now - goodAt > patience.lostMs)
      throw new CliError(`The controller cannot be reached any more: ${problem}.`)
    await sleep(connection.parser.retryMs ?? retryMs, undefined, { signal }).catch(() => {})
  }
}

interface Connection {
  readonly parser: SseParser
  /** Whether anything has come: the far end may be a host that swallows everything. */
  isHeard: boolean
}

/** The events of one connection, until it ends, breaks or falls silent. */
async function* readConnection(
  open: OpenStream,
  lastId: string | undefined,
  signal: AbortSignal,
  connection: Connection,
  { silentMs }: Patience,
): AsyncGenerator<SseEvent> {
  const dead = new AbortController()
  const onSilence = () => dead.abort(new TypeError('nothing came any more'))
  const timer = setTimeout(onSilence, silentMs)
  try {
    const response = await open(lastId, AbortSignal.any([signal, dead.signal]))
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      timer.refresh()
      connection.isHeard = true
      yield* connection.parser.push(decoder.decode(chunk, { stream: true }))
    }
  } finally {
    clearTimeout(timer)
    dead.abort()
  }
}

function problemOf({ cause, message }: Error): string {
  return cause instanceof Error ? cause.message : message
}

/** Whether trying again may help: the network, or a controller that is starting or overloaded. */
export function isPassing(error: unknown): error is Error {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429
  return error instanceof TypeError
}
