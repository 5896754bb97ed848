import type { ServerResponse } from 'node:http'

/** A comment goes out this often, so that proxies and clients see that the stream lives. */
const keepAliveMs = 15_000

/** A reader that is this far behind is disconnected; it resumes where it was. */
const backlogBytes = 1024 * 1024

/** A stream of server-sent events (HTML Living Standard, 9.2). */
export interface SseStream {
  /** Names where the reader stands before there is an event, so that it can resume from there. */
  mark(id: string): void
  send(event: { name: string; id?: string; data: unknown }): void
  end(): void
  /** Aborted when the client is gone or too slow, or the stream is over. */
  readonly closed: AbortSignal
}

/** Opens a stream on a response that has not been answered yet. */
export function openSse(response: ServerResponse): SseStream {
  const over = new AbortController()
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  response.write('retry: 1000\n\n')
  const timer = setInterval(() => response.write(': still here\n\n'), keepAliveMs)
  const finish = () => {
    clearInterval(timer)
    over.abort()
  }
  response.once('close', finish)
  return {
    closed: over.signal,
    mark(id) {
      if (!over.signal.aborted) response.write(`id: ${id}\n\n`)
    },
    send({ name, id, data }) {
      if (over.signal.aborted) return
      const idLine = id === undefined ? '' : `id: ${id}\n`
      response.write(`${idLine}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
      if (response.writableLength > backlogBytes) response.destroy()
    },
    end() {
      finish()
      response.end()
    },
  }
}
