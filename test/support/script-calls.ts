import { serversOf, type Redis } from '../../controller/store/redis.ts'

/** How many scripts all servers have run so far, and the time that these took inside, µs. */
export async function scriptCalls(redis: Redis): Promise<{ count: number; micros: number }> {
  const all = { count: 0, micros: 0 }
  for (const server of await serversOf(redis)) {
    const statistics = await server.info('commandstats')
    for (const found of statistics.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+),usec=(\d+)/g)) {
      all.count += Number(found[1])
      all.micros += Number(found[2])
    }
  }
  return all
}
