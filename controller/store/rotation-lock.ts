import { randomUUID } from 'node:crypto'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

/** Whoever was killed with the lock keeps others waiting for so long. */
const lockMs = 4_000
const retryMs = 500

const holdLock = loadScript('hold-lock')

/** What a holder of the lock may ask. */
export interface HeldLock {
  /** @throws Error when the lock was lost, for example because this process stood still */
  check(): Promise<void>
}

/** Lets one rotation of the sealing key run at a time, on whatever host; others wait for their turn. */
export interface RotationLock {
  hold<T>(work: (lock: HeldLock) => Promise<T>): Promise<T>
}

/** Opens the lock. */
export function openRotationLock(redis: Redis): RotationLock {
  return {
    async hold(work) {
      const who = randomUUID()
      const take = async (ms: number) =>
        (await holdLock.run(redis, [keys.rotationLock], [who, ms])) === 1
      while (!(await take(lockMs))) await new Promise((resolve) => setTimeout(resolve, retryMs))
      const renewal = setInterval(() => void take(lockMs).catch(() => false), lockMs / 4)
      try {
        return await work({
          async check() {
            if (!(await take(lockMs))) throw new Error('Another rotation has begun meanwhile.')
          },
        })
      } finally {
        clearInterval(renewal)
        await take(0)
      }
    },
  }
}
