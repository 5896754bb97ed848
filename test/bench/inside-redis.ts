import type { Redis } from '../../controller/store/redis.ts'

/** What one call took in Redis, µs. */
export interface Inside {
  readonly p50: number
  readonly p99: number
  /** CPU of Redis' thread for one call, with all that surrounds the script. */
  readonly cpu: number
}

/** What Redis itself says of the time that scripts took in it, µs. */
export async function inside(
  redis: Redis,
  command: 'evalsha' | 'zadd',
  turns: number,
  each: () => Promise<unknown>,
): Promise<Inside> {
  await redis.config('RESETSTAT')
  const before = await cpuOf(redis)
  for (let i = 0; i < turns; i += 1) await each()
  const cpu = ((await cpuOf(redis)) - before) / turns
  const found = await redis.info('latencystats')
  const line = new RegExp(`latency_percentiles_usec_${command}:p50=([\\d.]+),p99=([\\d.]+)`)
  const [, p50, p99] = line.exec(found) ?? []
  return { p50: Number(p50), p99: Number(p99), cpu }
}

async function cpuOf(redis: Redis): Promise<number> {
  const found = await redis.info('cpu')
  const of = (kind: string) =>
    Number(new RegExp(`used_cpu_${kind}_main_thread:([\\d.]+)`).exec(found)?.[1]) * 1e6
  return of('user') + of('sys')
}
