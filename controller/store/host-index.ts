import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

const sweep = loadScript('sweep-hosts')
const index = loadScript('index-hosts')

/** So many hosts a call: none of them keeps Redis for more than some ms. */
const sliceSize = 200

/** Takes every host of a team whose lease is over out of the index. */
export async function sweepHosts(redis: Redis, teamId: string): Promise<void> {
  const at = [keys.liveHosts(teamId), keys.hostIndex(teamId)]
  while ((await sweep.run(redis, at, [sliceSize])) === sliceSize);
}

/**
 * Brings every live host of a team into the index: after a version of Temblor that kept none. Hosts that
 * register meanwhile are in it as well.
 */
export async function mendIndex(redis: Redis, teamId: string): Promise<void> {
  await sweepHosts(redis, teamId)
  const at = [keys.liveHosts(teamId), keys.hostIndex(teamId)]
  await redis.del(`${keys.hostIndex(teamId)}:up`)
  let cursor = '0'
  do {
    const [next, found] = await redis.zscan(keys.liveHosts(teamId), cursor, 'COUNT', sliceSize)
    const identifiers = found.filter((_, place) => place % 2 === 0)
    if (identifiers.length > 0)
      await index.run(redis, at, [keys.hostPrefix(teamId), ...identifiers])
    cursor = next
  } while (cursor !== '0')
}
