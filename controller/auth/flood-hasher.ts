import { hashHere, type Hasher } from './argon2.ts'

/** So many passwords are hashed at once without being a flood, and one more every five seconds. */
const burst = 10
const perSecond = 0.2

/**
 * Hashes what usually comes on a thread of this process, so that nobody waits who signs in while the machine is
 * busy. What comes beyond, in a flood, is left to one that lets everything else go first.
 */
export function createFloodHasher(inFloods: Hasher): Hasher {
  let left = burst
  let filledMs = performance.now()
  const next = (): Hasher => {
    const nowMs = performance.now()
    left = Math.min(burst, left + ((nowMs - filledMs) / 1000) * perSecond)
    filledMs = nowMs
    if (left < 1) return inFloods
    left -= 1
    return hashHere
  }
  return {
    hash: (password) => next().hash(password),
    verify: (passwordHash, password) => next().verify(passwordHash, password),
  }
}
