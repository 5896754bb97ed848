import { randomUUID } from 'node:crypto'
import type { Seal } from '../auth/seal.ts'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'
import type { SealedPlace } from './sealed-place.ts'

/** A pending enrolment is forgotten after this. */
const pendingMs = 10 * 60_000

/** The second factor of a user. */
export interface SecondFactor {
  readonly id: string
  /** In the clear. */
  readonly seed: string
  /** Keyed hashes of those that are left. */
  readonly recoveryHashes: ReadonlySet<string>
  readonly sinceMs: number
}

/** A second factor that no code has proved yet. */
export interface PendingFactor {
  readonly id: string
  /** In the clear. */
  readonly seed: string
  readonly startedMs: number
  /** Of the password with which it was begun. */
  readonly epoch: number
}

/** A code that fits, to be used up. */
export type FittingCode =
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'recovery'; readonly hash: string }

/** Second factors of users; seeds are sealed with the controller's key. */
export interface Mfa extends SealedPlace {
  find(userId: string): Promise<SecondFactor | undefined>
  isOn(userId: string): Promise<boolean>
  /** Begins an enrolment in place of one that is pending. Gives the id of the factor to come. */
  propose(userId: string, seed: string, epoch: number): Promise<string>
  findPending(userId: string): Promise<PendingFactor | undefined>
  /** True for exactly one of several who try. `step` is that of the code, which is used with it. */
  confirm(userId: string, id: string, step: number, recoveryHashes: string[]): Promise<boolean>
  /** True for exactly one of several who try. */
  use(userId: string, id: string, code: FittingCode): Promise<boolean>
  /** Forgets the factor and what is pending. False when there was no factor. */
  remove(userId: string): Promise<boolean>
  forgetPending(userId: string): Promise<void>
}

const confirmMfa = loadScript('confirm-mfa')
const useMfaCode = loadScript('use-mfa-code')

/** Opens the store of second factors. */
export function openMfa(redis: Redis, seal: Seal): Mfa {
  return {
    async find(userId) {
      const record = await redis.hgetall(keys.mfa(userId))
      const { id, seed } = record
      if (id === undefined || seed === undefined) return undefined
      const hashes = Object.keys(record).filter((field) => field.startsWith('r:'))
      return {
        id,
        seed: seal.open(seed, seedOf(userId, id)),
        recoveryHashes: new Set(hashes.map((field) => field.slice(2))),
        sinceMs: Number(record['sinceMs']),
      }
    },
    isOn: async (userId) => (await redis.exists(keys.mfa(userId))) === 1,
    async propose(userId, seed, epoch) {
      const id = randomUUID()
      const sealed = seal.close(seed, seedOf(userId, id))
      const record = { id, seed: sealed, startedMs: Date.now(), epoch }
      const key = keys.mfaPending(userId)
      await redis.multi().del(key).hset(key, record).pexpire(key, pendingMs).exec()
      return id
    },
    async findPending(userId) {
      const { id, seed, startedMs, epoch } = await redis.hgetall(keys.mfaPending(userId))
      if (id === undefined || seed === undefined) return undefined
      const opened = seal.open(seed, seedOf(userId, id))
      return { id, seed: opened, startedMs: Number(startedMs), epoch: Number(epoch) }
    },
    async confirm(userId, id, step, recoveryHashes) {
      const both = [keys.mfa(userId), keys.mfaPending(userId)]
      const args = [id, step, Date.now(), ...recoveryHashes]
      return (await confirmMfa.run(redis, both, args)) === 1
    },
    async use(userId, id, code) {
      const what = code.kind === 'step' ? code.step : code.hash
      return (await useMfaCode.run(redis, [keys.mfa(userId)], [id, code.kind, what])) === 1
    },
    async remove(userId) {
      await redis.del(keys.mfaPending(userId))
      return (await redis.del(keys.mfa(userId))) === 1
    },
    async forgetPending(userId) {
      await redis.del(keys.mfaPending(userId))
    },
    async reseal() {
      let changed = 0
      for await (const users of redis.hscanStream(keys.userIds, { count: 500 }))
        for (const userId of (users as string[]).filter((_, index) => index % 2 === 1))
          for (const key of [keys.mfa(userId), keys.mfaPending(userId)])
            if (await resealSeed(redis, seal, userId, key)) changed += 1
      return changed
    },
  }
}

const replaceField = loadScript('replace-field')

/** False when it is sealed with the key in use already, or is none. */
async function resealSeed(redis: Redis, seal: Seal, userId: string, key: string): Promise<boolean> {
  for (;;) {
    const [id, before] = await redis.hmget(key, 'id', 'seed')
    if (!id || !before) return false
    const after = seal.renew(before, seedOf(userId, id))
    if (after === undefined) return false
    if ((await replaceField.run(redis, [key], ['seed', before, after])) === 1) return true
  }
}

/** What the seed of a user is sealed as. */
function seedOf(userId: string, factorId: string): string {
  return `user ${userId} second factor ${factorId} seed`
}
