import type { KeptSession } from './kept-session.ts'

const storageKey = 'temblor.session'
const channelName = 'temblor.session'
/** So long a new tab waits for another one that is signed in. */
const otherTabMs = 150

/** What tabs tell each other. `of` is the session that it takes the place of. */
type Message =
  | { readonly kind: 'who' }
  | { readonly kind: 'here'; readonly session: KeptSession }
  | { readonly kind: 'renewed'; readonly of: string; readonly session: KeptSession }
  | { readonly kind: 'ended'; readonly of: string }

/** The session of this tab, and of those that were opened beside it. */
export interface SessionStore {
  current(): KeptSession | undefined
  /** Somebody has signed in here. */
  begin(session: KeptSession): void
  /** The same session with other tokens. */
  renew(of: KeptSession, session: KeptSession): void
  /** Forgets it, in all tabs that have the same. */
  end(): void
  /** Whenever it begins or ends here or in another tab. The answer ends the listening. */
  onChange(listener: () => void): () => void
  /** Asks other tabs for theirs, when this one has none. */
  join(): Promise<void>
}

/** Opens the store: sessionStorage, and a channel between the tabs of this site. */
export function openSessionStore(storage: Storage = sessionStorage): SessionStore {
  const channel = new BroadcastChannel(channelName)
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const current = () => read(storage)
  const write = (session: KeptSession | undefined) => {
    if (session) storage.setItem(storageKey, JSON.stringify(session))
    else storage.removeItem(storageKey)
  }
  const tell = (message: Message) => channel.postMessage(message)
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const mine = current()
    if (data.kind === 'who' && mine) tell({ kind: 'here', session: mine })
    if (data.kind === 'here' && !mine) {
      write(data.session)
      changed()
    }
    if (data.kind === 'renewed' && mine?.renewToken === data.of) write(data.session)
    if (data.kind === 'ended' && mine?.renewToken === data.of) {
      write(undefined)
      changed()
    }
  })
  return {
    current,
    begin(session) {
      write(session)
      changed()
    },
    renew(of, session) {
      write(session)
      tell({ kind: 'renewed', of: of.renewToken, session })
    },
    end() {
      const mine = current()
      if (!mine) return
      write(undefined)
      tell({ kind: 'ended', of: mine.renewToken })
      changed()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async join() {
      if (current()) return
      const { promise, resolve } = Promise.withResolvers<void>()
      listeners.add(resolve)
      tell({ kind: 'who' })
      const timer = setTimeout(resolve, otherTabMs)
      await promise
      clearTimeout(timer)
      listeners.delete(resolve)
    },
  }
}

function read(storage: Storage): KeptSession | undefined {
  try {
    const kept = JSON.parse(storage.getItem(storageKey) ?? 'null') as KeptSession | null
    return kept ?? undefined
  } catch {
    return undefined
  }
}
