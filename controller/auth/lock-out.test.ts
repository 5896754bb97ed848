import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../../shared/api/errors.ts'
import { openAttempts } from '../store/attempts.ts'
import { startTestRedis, type TestRedis } from '../../test/support/redis.ts'
import type { Seal } from './seal.ts'
import { createLockOut, network, type LockOut } from './lock-out.ts'

let redis: TestRedis
let lockOut: LockOut
beforeAll(async () => {
  redis = await startTestRedis()
  const seal = { hashToken: (text: string) => text } as Seal
  lockOut = createLockOut(openAttempts(redis.redis), seal)
})
afterAll(() => redis?.[Symbol.asyncDispose]())

const wrong = async () => {
  throw new ApiError('invalid_credentials', 'wrong')
}
const half = async () => {
  throw new ApiError('too_many_logins', 'half')
}
const right = async () => 'in'
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'in',
    (error: ApiError) => error.code,
  )
let lastAddress = 0
const elsewhere = () => `10.0.0.${(lastAddress += 1)}`
const from = (email: string, address = elsewhere()) => ({ email, address })

describe('wrong tries', () => {
  test('five lock the user out, whatever the spelling and the address; others are not', async () => {
    const spellings = ['ann@x.y', 'ANN@x.y', ' ann@x.y', 'ann@x.y ', '\tAnn@X.y\n']
    for (const email of spellings)
      expect(await codeOf(lockOut.guard(from(email), wrong))).toBe('invalid_credentials')
    const refused = lockOut.guard(from('ann@x.y'), right)
    await expect(refused).rejects.toMatchObject({ code: 'locked_out' })
    const { retryAfterSeconds } = (await refused.catch((error) => error)) as ApiError
    expect(retryAfterSeconds).toBeGreaterThan(800)
    expect(retryAfterSeconds).toBeLessThanOrEqual(900)
    expect(await codeOf(lockOut.guard(from('bob@x.y'), right))).toBe('in')
    await lockOut.release(' ANN@x.y')
    expect(await codeOf(lockOut.guard(from('ann@x.y'), right))).toBe('in')
  })

  test('forty at once are checked five times', async () => {
    let checked = 0
    const check = async () => {
      checked += 1
      return await wrong()
    }
    await Promise.all(
      Array.from({ length: 40 }, () => codeOf(lockOut.guard(from('par@x.y'), check))),
    )
    expect(checked).toBe(5)
    expect(await codeOf(lockOut.guard(from('par@x.y'), right))).toBe('locked_out')
  })

  test('forty right ones at once lock nobody out', async () => {
    const codes = await Promise.all(
      Array.from({ length: 40 }, () => codeOf(lockOut.guard(from('ok@x.y'), right))),
    )
    expect(codes.filter((code) => code !== 'in' && code !== 'too_many_logins')).toEqual([])
    expect(await codeOf(lockOut.guard(from('ok@x.y'), right))).toBe('in')
  })

  test('what is neither right nor wrong is not counted and clears nothing', async () => {
    for (let round = 0; round < 4; round += 1) await codeOf(lockOut.guard(from('half@x.y'), wrong))
    for (let round = 0; round < 9; round += 1)
      expect(await codeOf(lockOut.guard(from('half@x.y'), half))).toBe('too_many_logins')
    expect(await codeOf(lockOut.guard(from('half@x.y'), wrong))).toBe('invalid_credentials')
    expect(await codeOf(lockOut.guard(from('half@x.y'), right))).toBe('locked_out')
  })

  test('a hundred of one address lock it out, also for users that do not exist', async () => {
    const here = '2001:db8:0:1::1'
    for (let n = 0; n < 100; n += 1)
      await codeOf(lockOut.guard(from(`u${Math.floor(n / 4)}@x.y`, here), wrong))
    expect(await codeOf(lockOut.guard(from('new@x.y', '2001:db8:0:1:ffff::2'), right))).toBe(
      'locked_out',
    )
    expect(await codeOf(lockOut.guard(from('new@x.y', '2001:db8:0:2::1'), right))).toBe('in')
  })
})

const writtenBytes = async () =>
  Number(/aof_current_size:(\d+)/.exec(await redis.redis.info('persistence'))?.[1])

async function grownBy(check: () => Promise<unknown>): Promise<number> {
  const before = await writtenBytes()
  await codeOf(lockOut.guard(from('disk@x.y'), check))
  return (await writtenBytes()) - before
}

test('only what is wrong, and that it is forgiven, waits for the disk', async () => {
  expect(await grownBy(right)).toBe(0)
  expect(await grownBy(half)).toBe(0)
  expect(await grownBy(wrong)).toBeGreaterThan(0)
  expect(await grownBy(right)).toBeGreaterThan(0)
  expect(await grownBy(right)).toBe(0)
})

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['::1', '0:0:0:0'],
  ['2001:DB8::1', '2001:db8:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('the network of %s is %s', (address, expected) => {
  expect(network(address)).toBe(expected)
})
