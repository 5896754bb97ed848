import { isStorageError, serversOf, type Redis } from './redis.ts'

/** Scripts that say which keys they touch, and sharded channels, are there from 7.0 on. */
const oldestMajor = 7

/**
 * Looks at the version of every server; one that may not say (an ACL without INFO) is believed.
 * @throws Error that names the version of one that is too old
 */
export async function refuseOldRedis(redis: Redis): Promise<void> {
  for (const server of await serversOf(redis)) {
    const text = await server.info('server').catch((error: unknown) => {
      if (isStorageError(error)) throw error
      return ''
    })
    const version = /^redis_version:(\S+)/m.exec(text)?.[1]
    if (version !== undefined && Number.parseInt(version) < oldestMajor)
      throw new Error(`Redis has version ${version}; Temblor needs ${oldestMajor}.0 or newer.`)
  }
}
