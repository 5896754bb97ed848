import type { SignInFailure } from '../../shared/api/sign-in-failures.ts'
import { keys } from './keys.ts'
import { answersOf, type Redis } from './redis.ts'

/** Refused sign-ins by the providers of each company, for its admins. */
export interface SignInFailures {
  add(companyId: string, failure: SignInFailure): Promise<void>
  /**
   * Whether one more that anybody can cause is worth an entry in the audit, which is kept for long: so many in an
   * hour are, of a company or of none.
   */
  mayTell(companyId: string | undefined): Promise<boolean>
  /** The newest first. */
  list(companyId: string): Promise<SignInFailure[]>
}

const kept = 200
const keptMs = 30 * 86_400_000
const toldInHour = 60

/** Opens the store of refused sign-ins. */
export function openSignInFailures(redis: Redis): SignInFailures {
  return {
    async add(companyId, failure) {
      const key = keys.signInFailures(companyId)
      const added = redis
        .multi()
        .lpush(key, JSON.stringify(failure))
        .ltrim(key, 0, kept - 1)
        .pexpire(key, keptMs)
      await answersOf(added)
    },
    async mayTell(companyId) {
      const key = keys.unprovenTold(companyId)
      const [count] = await answersOf(redis.multi().incr(key).pexpire(key, 3_600_000, 'NX'))
      return Number(count) <= toldInHour
    },
    list: async (companyId) =>
      (await redis.lrange(keys.signInFailures(companyId), 0, -1)).map(
        (text) => ({ method: 'saml', ...(JSON.parse(text) as object) }) as SignInFailure,
      ),
  }
}
