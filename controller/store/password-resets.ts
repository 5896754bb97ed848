import { keys } from './keys.ts'
import { loadScript, redisNowMs, type Redis } from './redis.ts'

/** Codes to set a new password with, one for each user: a newer one replaces it. */
export interface PasswordResets {
  /** Keeps the keyed hash of a code; gives when it ends, epoch ms. */
  put(userId: string, codeHash: string, lifetimeMs: number): Promise<number>
  /** Sets the new password and ends all sessions. True for exactly one of several who try. */
  use(userId: string, codeHash: string, passwordHash: string): Promise<boolean>
}

const resetPassword = loadScript('reset-password')

/** Opens the store of password resets; they are part of the user. */
export function openPasswordResets(redis: Redis): PasswordResets {
  return {
    async put(userId, codeHash, lifetimeMs) {
      const endsMs = (await redisNowMs(redis, keys.user(userId))) + lifetimeMs
      await redis.hset(keys.user(userId), { resetHash: codeHash, resetExpiresMs: endsMs })
      return endsMs
    },
    use: async (userId, codeHash, passwordHash) =>
      (await resetPassword.run(redis, [keys.user(userId)], [codeHash, passwordHash])) === 1,
  }
}
