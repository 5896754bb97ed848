import { openStore, type Store } from '../store/store.ts'
import { openWatchedRedis } from '../store/watched-redis.ts'
import type { Seal } from './seal.ts'

/** Where callers are looked up. */
export interface LookUps {
  readonly store: Store
  /** Whether changes of what is read there are heard. */
  readonly isHeard: () => boolean
  /** Who is to be told of the changed keys; undefined stands for any. */
  onChange(listener: (keys: readonly string[] | undefined) => void): void
  disconnect(): void
}

/** Opens a connection of its own for that, over which changes of what was found are heard. */
export async function openLookUps(redisUrl: string, seal: Seal): Promise<LookUps> {
  let listener: ((keys: readonly string[] | undefined) => void) | undefined
  const watched = openWatchedRedis(redisUrl, (keys) => listener?.(keys))
  return {
    store: await openStore(watched.redis, seal),
    isHeard: () => watched.isHeard(),
    onChange: (next) => void (listener = next),
    disconnect: () => watched.close(),
  }
}
