import { keys } from './keys.ts'
import type { Redis } from './redis.ts'

/** How long somebody has for the second step. */
export const ticketMs = 5 * 60_000

/** Says that somebody has shown the password. It is good for the second factor alone. */
export interface MfaTicket {
  readonly userId: string
  /** Of the password that was shown; another one ended the ticket. */
  readonly epoch: number
  /** The factor that the user had, and must still have; empty for somebody who has to enrol. */
  readonly factorId: string
  /** A code was shown with it as well. */
  readonly isProven: boolean
  readonly issuedMs: number
}

/** Tickets by their keyed hash; Redis forgets them when they expire. */
export interface MfaTickets {
  put(hash: string, ticket: MfaTicket): Promise<void>
  find(hash: string): Promise<MfaTicket | undefined>
  /** Changes a ticket that is still there; it does not last longer for that. */
  replace(hash: string, ticket: MfaTicket): Promise<void>
  /** Uses it up. True for exactly one of several who try. */
  take(hash: string): Promise<boolean>
}

/** Opens the store of tickets. */
export function openMfaTickets(redis: Redis): MfaTickets {
  return {
    async put(hash, ticket) {
      await redis.set(keys.mfaTicket(hash), JSON.stringify(ticket), 'PX', ticketMs)
    },
    async find(hash) {
      const text = await redis.get(keys.mfaTicket(hash))
      return text === null ? undefined : (JSON.parse(text) as MfaTicket)
    },
    async replace(hash, ticket) {
      await redis.set(keys.mfaTicket(hash), JSON.stringify(ticket), 'KEEPTTL', 'XX')
    },
    take: async (hash) => (await redis.del(keys.mfaTicket(hash))) === 1,
  }
}
