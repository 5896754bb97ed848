import { ApiError } from '../../shared/api/errors.ts'
import type { SseStream } from './sse.ts'

/** So much later at most a stream ends whose session has ended, or whose user may not read it any more. */
const askAgainMs = 15_000

/** Ends a stream when its reader would be refused now. While nobody can tell, it goes on. */
export function endWhenRefused(stream: SseStream, admit: () => Promise<void>): SseStream {
  const timer = setInterval(() => {
    admit().catch((error: unknown) => {
      if (error instanceof ApiError && [401, 403].includes(error.status)) stream.end()
    })
  }, askAgainMs)
  stream.closed.addEventListener('abort', () => clearInterval(timer), { once: true })
  if (stream.closed.aborted) clearInterval(timer)
  return stream
}
