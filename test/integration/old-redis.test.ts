import { Transform } from 'node:stream'
import { expect, test } from 'vitest'
import type { Seal } from '../../controller/auth/seal.ts'
import { openRedis } from '../../controller/store/redis.ts'
import { openStore } from '../../controller/store/store.ts'
import { namesIn, startTestRedis } from '../support/redis.ts'
import { startWayTo } from '../support/redis-way.ts'

/** Has Redis say of itself that its major version is 6. */
const aged = () =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = chunk.toString('latin1').replace(/(?<=redis_version:)\d/, '6')
      done(null, Buffer.from(text, 'latin1'))
    },
  })

test('a Redis that is too old is refused before anything is written to it, and another one is not', async () => {
  await using own = await startTestRedis()
  using way = await startWayTo(own.url, aged)
  const old = openRedis(way.url)
  await expect(openStore(old, {} as Seal)).rejects.toThrow(
    /^Redis has version 6\.\S+; Temblor needs 7\.0 or newer\.$/,
  )
  old.disconnect()
  expect(await namesIn(own.redis)).toEqual([])
  await openStore(own.redis, {} as Seal)
  expect(await namesIn(own.redis)).not.toEqual([])
})
