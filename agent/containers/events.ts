import { setTimeout as sleep } from 'node:timers/promises'
import type { Readable } from 'node:stream'
import type Docker from 'dockerode'

export interface EngineEvent {
  readonly action: string
  /** The container. */
  readonly id: string
}

interface Listening {
  connect(): Promise<Docker>
  readonly signal: AbortSignal
  /** Listening; what happened before was not heard. */
  onConnected(): Promise<void>
  onDisconnected(): void
  readonly onEvent: (event: EngineEvent) => void
}

const firstWaitMs = 250
const longestWaitMs = 5000

/** Listens to the container events of an engine until aborted; listens again when it is back. */
export async function listenToEvents(listening: Listening): Promise<void> {
  const { signal } = listening
  let waitMs = firstWaitMs
  while (!signal.aborted) {
    try {
      const client = await listening.connect()
      const filters = JSON.stringify({ type: ['container'] })
      const stream = await client.getEvents({ filters })
      signal.addEventListener('abort', () => (stream as Readable).destroy(), { once: true })
      const ended = readEvents(stream, listening)
      await listening.onConnected()
      waitMs = firstWaitMs
      await ended
    } catch {
      // Not there, or gone again: both are ordinary, and shown as a missing capability.
    }
    if (signal.aborted) return
    listening.onDisconnected()
    await sleep(waitMs, undefined, { signal }).catch(() => undefined)
    waitMs = Math.min(longestWaitMs, waitMs * 2)
  }
}

/** Reads events, one JSON object a line; resolves when the stream is over, however that happens. */
async function readEvents(
  stream: NodeJS.ReadableStream,
  { onEvent }: Pick<Listening, 'onEvent'>,
): Promise<void> {
  let rest = ''
  try {
    for await (const chunk of stream) {
      const lines = (rest + String(chunk)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines.filter(Boolean)) {
        const seen = JSON.parse(line) as { Action?: string; id?: string; Actor?: { ID?: string } }
        onEvent({ action: seen.Action ?? '', id: seen.Actor?.ID ?? seen.id ?? '' })
      }
    }
  } catch {
    // The engine stopped; the caller connects again.
  }
}
