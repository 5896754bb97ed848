import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { openRedis, sourceOf } from '../../controller/store/redis.ts'
import { scriptCalls } from '../support/script-calls.ts'

/** A script that holds Redis for longer holds everybody up, in µs. */
const longMicros = 5_000
/** What takes less is not written down. */
const notedMicros = 1_000

/** For how long scripts held Redis, by its own clock: waiting for a core is in there. */
export interface Held {
  readonly scripts: number
  readonly long: number
  /** Of the longest; `name` is undefined when none took a millisecond. */
  readonly longest: { readonly ms: number; readonly name: string | undefined }
}

const luaDir = new URL('../../controller/store/lua/', import.meta.url)

/** Begins to watch. @returns what ends it and tells what was seen */
export async function watchHeld(redisUrl: string): Promise<() => Promise<Held>> {
  const redis = openRedis(redisUrl)
  await redis.config('SET', 'slowlog-log-slower-than', notedMicros, 'slowlog-max-len', 100_000)
  await redis.slowlog('RESET')
  const before = await scriptCalls(redis)
  return async () => {
    const after = await scriptCalls(redis)
    const noted = (await redis.slowlog('GET', 100_000)) as [number, number, number, string[]][]
    redis.disconnect()
    const scripts = noted
      .filter(([, , , [command = '']]) => /^eval/i.test(command))
      .toSorted(([, , a], [, , b]) => b - a)
    const [, , micros = 0, args] = scripts[0] ?? []
    return {
      scripts: after.count - before.count,
      long: scripts.filter(([, , took]) => took > longMicros).length,
      longest: { ms: micros / 1_000, name: args && nameOf(args) },
    }
  }
}

/** Redis knows a script by its hash, or by its text when it came for the first time. */
function nameOf([, script = '']: readonly string[]): string {
  const found = readdirSync(luaDir)
    .filter((file) => file.endsWith('.lua'))
    .find((file) => {
      const source = sourceOf(readFileSync(new URL(file, luaDir), 'utf8'))
      return (
        script === createHash('sha1').update(source).digest('hex') ||
        source.startsWith(script.slice(0, 60))
      )
    })
  return found?.replace('.lua', '') ?? script.slice(0, 12)
}
