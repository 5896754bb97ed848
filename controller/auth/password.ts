import { availableParallelism } from 'node:os'
import { ApiError } from '../../shared/api/errors.ts'
import { hashHere, type Hasher } from './argon2.ts'

/** Checked at once: a core is left for attacks and heartbeats, however many want to sign in. */
const checkedAtOnce = Math.max(1, availableParallelism() - 1)

/** Logins beyond those being checked wait here; more are turned away. */
const queueLimit = 64

/** Hashes and checks passwords, on all cores but one. */
export interface Passwords {
  hash(password: string): Promise<string>
  /**
   * True when the password belongs to the hash. An absent hash takes as long as a present one.
   * @throws ApiError `too_many_logins` when the queue is full
   */
  check(password: string, passwordHash: string | undefined): Promise<boolean>
}

/** Makes the password checker with its own queue. */
export async function createPasswords(hasher: Hasher = hashHere): Promise<Passwords> {
  const nobody = await hashHere.hash('a password that nobody has')
  const turn = createTurns(checkedAtOnce)
  return {
    hash: (password) => turn(() => hasher.hash(password)),
    check: (password, passwordHash) =>
      turn(async () => {
        const matches = await hasher.verify(passwordHash || nobody, password)
        return matches && Boolean(passwordHash)
      }),
  }
}

/** Runs at most `slots` pieces of work at once; a slot that falls free goes to the longest waiting. */
function createTurns(slots: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = slots
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else if (waiting.length < queueLimit)
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
      })
    else
      throw new ApiError('too_many_logins', 'Too many logins at once. Try again in a second.', {
        retryAfterSeconds: 1,
      })
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
