import { hashHere } from './argon2.ts'
import type { HashAnswer, HashOrder } from './hash-process.ts'

/** Entry of the process that hashes passwords for a controller, and ends with it. */
process.on('message', async (order: HashOrder) => {
  const { id, password, passwordHash } = order
  const answer =
    passwordHash === undefined
      ? await hashHere.hash(password)
      : await hashHere.verify(passwordHash, password)
  process.send?.({ id, answer } satisfies HashAnswer)
})
process.once('disconnect', () => process.exit(0))
// A terminal tells the whole group; the controller ends when it is done, and this with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
