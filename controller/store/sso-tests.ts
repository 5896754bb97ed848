import type { SsoTest } from '../../shared/api/sso.ts'
import { isId, keys } from './keys.ts'
import type { Redis } from './redis.ts'

/** Sign-ins that only try a provider, until an hour after they began. */
export interface SsoTests {
  put(companyId: string, test: SsoTest): Promise<void>
  read(companyId: string, testId: string): Promise<SsoTest | undefined>
  /** Adds what became of it; nothing when it is forgotten. */
  answer(companyId: string, testId: string, result: Partial<SsoTest>): Promise<void>
}

const keptMs = 3_600_000

/** Opens the store of tests. */
export function openSsoTests(redis: Redis): SsoTests {
  const read: SsoTests['read'] = async (companyId, testId) => {
    const text = isId(testId) ? await redis.get(keys.ssoTest(companyId, testId)) : null
    return text === null ? undefined : (JSON.parse(text) as SsoTest)
  }
  return {
    async put(companyId, test) {
      await redis.set(keys.ssoTest(companyId, test.testId), JSON.stringify(test), 'PX', keptMs)
    },
    read,
    async answer(companyId, testId, result) {
      const test = await read(companyId, testId)
      if (!test) return
      const text = JSON.stringify({ ...test, ...result })
      await redis.set(keys.ssoTest(companyId, testId), text, 'KEEPTTL', 'XX')
    },
  }
}
