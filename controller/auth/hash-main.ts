import { writeFileSync } from 'node:fs'
import os from 'node:os'
import { hashHere } from './argon2.ts'
import type { HashAnswer, HashOrder } from './hash-process.ts'

/**
 * Entry of the process that hashes passwords for a controller. Whoever serves requests goes first, but where all
 * cores are taken it still gets a tenth of what they get.
 */
const niceness = 10

os.setPriority(niceness)
try {
  // Linux shares the cores among sessions first, and within one by niceness.
  writeFileSync('/proc/self/autogroup', String(niceness))
} catch {
  // This kernel does not.
}

process.on('message', async (order: HashOrder) => {
  const { id, password, passwordHash } = order
  const answer =
    passwordHash === undefined
      ? await hashHere.hash(password)
      : await hashHere.verify(passwordHash, password)
  process.send?.({ id, answer } satisfies HashAnswer)
})
process.once('disconnect', () => process.exit(0))
