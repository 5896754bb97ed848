import { randomUUID } from 'node:crypto'
import { generateSync } from 'otplib'
import { newSeed } from '../../controller/auth/totp.ts'
import type { Store } from '../../controller/store/store.ts'

/** The code of a seed, now or so many steps of 30 s from now. */
export function codeOf(seed: string, steps = 0): string {
  return generateSync({ secret: seed, epoch: Math.floor(Date.now() / 1000) + steps * 30 })
}

/** Gives a user a second factor of which no code was used. Gives the seed. */
export async function giveSecondFactor(store: Store, userId: string): Promise<string> {
  const seed = newSeed()
  const id = await store.mfa.propose(userId, seed, await store.users.epochOf(userId))
  await store.mfa.confirm(userId, id, 0, [randomUUID()])
  return seed
}

/** A seed whose code is less than 100,000 now and in the next step, so that a number is shorter. */
export function seedOfSmallCode(): string {
  for (;;) {
    const seed = newSeed()
    if (codeOf(seed).startsWith('0') && codeOf(seed, 1).startsWith('0')) return seed
  }
}
