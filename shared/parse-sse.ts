/** A server-sent event. */
export interface SseEvent {
  readonly name: string
  /** The last id that the stream has named; empty when it has named none. */
  readonly id: string
  readonly data: string
}

export interface SseParser {
  /** Takes the next piece of the stream, cut anywhere, and gives the events that it completes. */
  push(text: string): SseEvent[]
  /** The last id that the stream has named, with an event or without; empty before. */
  readonly lastId: string
  /** How long to wait before connecting again, when the stream has said so. */
  readonly retryMs: number | undefined
}

/** Reads a stream of server-sent events (HTML Living Standard, 9.2.6). */
export function createSseParser(): SseParser {
  let rest: string | undefined
  let lastId = ''
  /** Named, but not yet by a whole event. */
  let nextId = ''
  let name = ''
  let data: string[] = []
  let retryMs: number | undefined

  const takeField = (line: string): void => {
    const at = line.indexOf(':')
    const field = at < 0 ? line : line.slice(0, at)
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '')
    if (field === 'event') name = value
    else if (field === 'data') data.push(value)
    else if (field === 'id' && !value.includes('\0')) nextId = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value)
  }
  const takeLine = (line: string): SseEvent[] => {
    // A line that begins with a colon is a comment: its field is empty.
    if (line !== '') {
      takeField(line)
      return []
    }
    lastId = nextId
    const event = { name: name || 'message', id: lastId, data: data.join('\n') }
    const isEmpty = data.length === 0
    name = ''
    data = []
    return isEmpty ? [] : [event]
  }
  return {
    push(text) {
      const all = rest === undefined ? text.replace(/^\uFEFF/, '') : rest + text
      // A CR at the end may be the first half of a CRLF.
      const cut = all.endsWith('\r') ? all.length - 1 : all.length
      const lines = all.slice(0, cut).split(/\r\n|\n|\r/)
      rest = (lines.pop() ?? '') + all.slice(cut)
      return lines.flatMap(takeLine)
    },
    get lastId() {
      return lastId
    },
    get retryMs() {
      return retryMs
    },
  }
}
