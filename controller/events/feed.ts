import { setTimeout as delay } from 'node:timers/promises'
import { keys } from '../store/keys.ts'
import { openBlockingRedis, type Redis } from '../store/redis.ts'

/** A move of an execution, as the scripts wrote it. */
export interface TeamEvent {
  /** Of the stream; events are resumed after it. */
  readonly id: string
  readonly attackId: string
  readonly executionId: string
  readonly stage: string
}

export type EventListener = (event: TeamEvent) => void

/** The moves of a team's executions, whichever controller caused them. */
export interface EventFeed {
  /** The newest event's id; what comes later has a greater one. */
  lastId(teamId: string): Promise<string>
  /** Events after this id that are still kept, the oldest first. */
  since(teamId: string, id: string): Promise<TeamEvent[]>
  /** Hears every event after `id`. The answer ends it. */
  listen(teamId: string, id: string, listener: EventListener): () => void
  /** Aborted when the controller stops: streams end with it. */
  readonly closing: AbortSignal
  close(): void
}

/** How long one read waits for news; a reader without listeners ends after it. */
const blockMs = 5_000
/** How soon a Redis that refused to be read is asked again. */
const againMs = 500
/** Entries that are asked for at once. */
const readAtOnce = 1_000

interface Reader {
  readonly listeners: Set<EventListener>
  readonly stop: () => void
}

/** Opens the feed. Each team that somebody watches has one blocking connection. */
export function openEventFeed(redis: Redis, redisUrl: string): EventFeed {
  const readers = new Map<string, Reader>()
  const since: EventFeed['since'] = async (teamId, id) => {
    const found: TeamEvent[] = []
    for (let after = id; ;) {
      const entries = await redis.xrange(keys.events(teamId), `(${after}`, '+', 'COUNT', readAtOnce)
      found.push(...toEvents(entries))
      after = entries.at(-1)?.[0] ?? after
      if (entries.length < readAtOnce) return found
    }
  }
  const readerOf = (teamId: string, id: string): Reader => {
    const known = readers.get(teamId)
    if (known) return known
    const connection = openBlockingRedis(redisUrl)
    connection.on('error', () => undefined)
    const listeners = new Set<EventListener>()
    const stopped = new AbortController()
    const stop = () => {
      stopped.abort()
      connection.disconnect()
    }
    const reader = { listeners, stop }
    readers.set(teamId, reader)
    const where = { connection, stream: keys.events(teamId), signal: stopped.signal }
    void follow(where, id, listeners).finally(() => {
      if (readers.get(teamId) === reader) readers.delete(teamId)
      connection.disconnect()
    })
    return reader
  }
  const closing = new AbortController()
  return {
    since,
    closing: closing.signal,
    async lastId(teamId) {
      const [newest] = await redis.xrevrange(keys.events(teamId), '+', '-', 'COUNT', 1)
      return newest?.[0] ?? '0-0'
    },
    listen(teamId, id, listener) {
      const reader = readerOf(teamId, id)
      const late = afterThat(id, listener)
      reader.listeners.add(late.hear)
      // The reader may be further on already; what it has read is fetched once more.
      since(teamId, id).then(late.begin, () => late.begin([]))
      return () => {
        reader.listeners.delete(late.hear)
        if (reader.listeners.size > 0) return
        readers.delete(teamId)
        reader.stop()
      }
    },
    close() {
      closing.abort()
      for (const reader of readers.values()) reader.stop()
    },
  }
}

/** Holds news back until the past is told, and tells nothing twice. */
function afterThat(id: string, listener: EventListener) {
  let last = id
  let held: TeamEvent[] | undefined = []
  const tell = (event: TeamEvent) => {
    if (compareIds(event.id, last) <= 0) return
    last = event.id
    listener(event)
  }
  const hear = (event: TeamEvent) => {
    if (held) held.push(event)
    else tell(event)
  }
  const begin = (past: readonly TeamEvent[]) => {
    for (const event of [...past, ...(held ?? [])]) tell(event)
    held = undefined
  }
  return { hear, begin }
}

/** Reads on and on until nobody listens or it is stopped; a Redis that is away is asked again. */
async function follow(
  { connection, stream, signal }: { connection: Redis; stream: string; signal: AbortSignal },
  from: string,
  listeners: ReadonlySet<EventListener>,
): Promise<void> {
  let last = from
  do {
    const answer = await connection
      .xread('COUNT', readAtOnce, 'BLOCK', blockMs, 'STREAMS', stream, last)
      .catch(() => delay(againMs, undefined, { signal }).catch(() => undefined))
    if (signal.aborted) return
    for (const event of toEvents(answer?.[0]?.[1] ?? [])) {
      last = event.id
      for (const listener of listeners) listener(event)
    }
  } while (listeners.size > 0)
}

function toEvents(entries: readonly [string, string[]][]): TeamEvent[] {
  return entries.map(([id, fields]) => {
    const field = (name: string) => fields[fields.indexOf(name) + 1] ?? ''
    return {
      id,
      attackId: field('attack'),
      executionId: field('execution'),
      stage: field('stage'),
    }
  })
}

/** Ids of a stream are `<ms>-<number>`. */
export function compareIds(a: string, b: string): number {
  const [aMs = 0, aSeq = 0] = a.split('-').map(Number)
  const [bMs = 0, bSeq = 0] = b.split('-').map(Number)
  return aMs - bMs || aSeq - bSeq
}
