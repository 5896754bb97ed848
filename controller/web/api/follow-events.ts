import type { ApiClient } from '../../../shared/api/client.ts'
import { watchTeam, type ExecutionEvent } from '../../../shared/api/events.ts'
import { createSseParser } from '../../../shared/parse-sse.ts'
import { isPassing } from './error-words.ts'

const retryMs = 1_000
const retryAtMostMs = 15_000
/** A connection on which nothing comes for so long is dead: a comment comes every 15 s. */
const silentMs = 40_000

export interface EventListener {
  readonly onEvent: (event: ExecutionEvent) => void
  /** Connected or not; `resumed` when nothing was missed. */
  readonly onState: (state: 'live' | 'resumed' | 'lost') => void
}

/** Follows what happens in a team until the signal; connects again after the last event. */
export async function followTeam(
  api: ApiClient,
  teamId: string,
  listener: EventListener,
  signal: AbortSignal,
): Promise<void> {
  let lastId: string | undefined
  let waitMs = retryMs
  while (!signal.aborted) {
    const dead = new AbortController()
    try {
      const response = await api.open(watchTeam, {
        query: { teamId },
        headers: lastId ? { 'last-event-id': lastId } : {},
        signal: AbortSignal.any([signal, dead.signal]),
      })
      listener.onState(lastId ? 'resumed' : 'live')
      waitMs = retryMs
      for await (const id of readEvents(response, dead, listener)) lastId = id
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error) && !dead.signal.aborted) {
        // Refused for good, or an id that this server does not know: begin anew from now.
        if (!lastId) throw error
        lastId = undefined
      }
    } finally {
      dead.abort()
    }
    if (signal.aborted) return
    listener.onState('lost')
    await pause(waitMs, signal)
    waitMs = Math.min(waitMs * 2, retryAtMostMs)
  }
}

/** Hands on the events of one connection; gives the id of each place that was reached. */
async function* readEvents(
  response: Response,
  dead: AbortController,
  { onEvent }: EventListener,
): AsyncGenerator<string> {
  const parser = createSseParser()
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  if (!reader) return
  for (;;) {
    const timer = setTimeout(() => dead.abort(), silentMs)
    const { done, value } = await reader.read().finally(() => clearTimeout(timer))
    if (done) return
    for (const { name, data } of parser.push(decoder.decode(value, { stream: true })))
      if (name === 'execution') onEvent(JSON.parse(data) as ExecutionEvent)
    if (parser.lastId) yield parser.lastId
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  return promise.finally(() => clearTimeout(timer))
}
