import { randomUUID } from 'node:crypto'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

/** Whoever was killed with it keeps others waiting for so long. */
const lockMs = 30_000

const holdLock = loadScript('hold-lock')

/** The making of the first owner of an installation. */
export interface SetupStore {
  /** Whether nobody is there yet. */
  isEmpty(): Promise<boolean>
  /** What the code follows from, besides the key file; another one for other data. */
  salt(): Promise<string>
  /** One at a time, on whatever controller. Undefined while somebody else is at it. */
  alone<T>(work: () => Promise<T>): Promise<T | undefined>
}

/** Opens it. */
export function openSetup(redis: Redis): SetupStore {
  return {
    isEmpty: async () => (await redis.hlen(keys.userIds)) === 0,
    async salt() {
      await redis.set(keys.setupSalt, randomUUID(), 'NX')
      return (await redis.get(keys.setupSalt)) ?? ''
    },
    async alone(work) {
      const who = randomUUID()
      const hold = async (ms: number) =>
        (await holdLock.run(redis, [keys.setupLock], [who, ms])) === 1
      if (!(await hold(lockMs))) return undefined
      try {
        return await work()
      } finally {
        await hold(0)
      }
    },
  }
}
