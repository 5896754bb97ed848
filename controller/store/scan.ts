import type { Redis } from './redis.ts'

/** So many entries are asked for at once: Redis serves others in between. */
const count = 500

/**
 * The fields of a hash that may be large. Whatever is there from the first to the last step is in it once; what comes or
 * goes meanwhile may be or not.
 */
export async function readHash(redis: Redis, key: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const [field, value] of fieldsOf(redis, key)) found.set(field, value)
  return found
}

/** The same, field by field, some of them perhaps twice. Ending early asks for no more. */
export async function* fieldsOf(redis: Redis, key: string): AsyncGenerator<[string, string]> {
  let cursor = '0'
  do {
    const [next, flat] = await redis.hscan(key, cursor, 'COUNT', count)
    cursor = next
    for (let at = 0; at < flat.length; at += 2) yield [flat[at] ?? '', flat[at + 1] ?? '']
  } while (cursor !== '0')
}

/** The members of a set that may be large, with the same promise. */
export async function readSet(redis: Redis, key: string): Promise<string[]> {
  const found = new Set<string>()
  let cursor = '0'
  do {
    const [next, members] = await redis.sscan(key, cursor, 'COUNT', count)
    cursor = next
    for (const member of members) found.add(member)
  } while (cursor !== '0')
  return [...found]
}
