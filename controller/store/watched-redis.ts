import { isCluster, openChangeListener, openRedis, type Redis } from './redis.ts'

/** A connection that hears when somebody, whoever it is, changes what was read over it. */
export interface WatchedRedis {
  readonly redis: Redis
  /** False with a Cluster, and while there is no connection that would hear it. */
  isHeard(): boolean
  close(): void
}

const channel = '__redis__:invalidate'

/**
 * Opens it; `onChange` is told the changed keys, or undefined when changes may have been missed. A Redis that
 * forbids `CLIENT TRACKING` is only read.
 */
export function openWatchedRedis(
  url: string,
  onChange: (keys: readonly string[] | undefined) => void,
): WatchedRedis {
  const redis = openRedis(url)
  redis.on('error', () => undefined)
  const listener = isCluster(redis) ? undefined : openChangeListener(url)
  let listenerId: number | undefined
  let isHeard = false
  const lose = (): void => {
    isHeard = false
    onChange(undefined)
  }
  const track = async (): Promise<void> => {
    const id = listenerId
    if (id === undefined) return
    await redis.client('TRACKING', 'ON', 'REDIRECT', id)
    if (id !== listenerId) return
    // What was read before is not watched.
    onChange(undefined)
    isHeard = true
  }
  const quietly = (work: Promise<void>): void => void work.catch(lose)
  redis.on('close', lose)
  redis.on('ready', () => quietly(track()))
  listener?.on('error', () => undefined)
  listener?.on('close', () => {
    listenerId = undefined
    lose()
  })
  listener?.on('ready', () =>
    quietly(
      (async () => {
        const id = await listener.client('ID')
        await listener.subscribe(channel)
        listenerId = id
        await track()
      })(),
    ),
  )
  listener?.on('messageBuffer', (_: Buffer, keys: readonly Buffer[] | null) =>
    onChange(keys?.map(String)),
  )
  return {
    redis,
    isHeard: () => isHeard,
    close() {
      listener?.disconnect()
      redis.disconnect()
    },
  }
}
