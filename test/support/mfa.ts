import { randomUUID } from 'node:crypto'
import { generateSync } from 'otplib'
import { newSeed } from '../../controller/auth/totp.ts'
import type { Redis } from '../../controller/store/redis.ts'
import type { Store } from '../../controller/store/store.ts'
import { sessionsOf, type Session } from '../../shared/api/sessions.ts'
import { apiOf, type Api } from './api.ts'
import type { Answer } from './http.ts'
import { problem } from './problem.ts'
import { forget } from './redis.ts'

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

/** Tests make more wrong tries from one address than any person would. */
export async function forgetTries(redis: Redis): Promise<void> {
  await forget(redis, 'temblor:attempts:*')
}

/** `in`, or the code of the refusal. */
export function outcome(answer: Answer): string {
  return answer.status === 200 ? 'in' : problem(answer).code
}

/** The first session of an answer to a sign-in. */
export function firstSession(baseUrl: string, answer: Answer): Api {
  return apiOf(baseUrl, sessionsOf(answer.json as Session[])[0] as Session)
}
