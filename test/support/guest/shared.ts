import { afterAll, beforeAll, beforeEach } from 'vitest'
import { liveGuests } from './guest.ts'
import { guestSkipReason } from './skip-reason.ts'

/**
 * What the tests of a file share, made before the first of them: guests, a service. It is put on
 * `own` as it is made, and is gone after the last test. Where guests cannot run, the tests are skipped
 * with the reason. A failed test shows the end of each guest's console and journal.
 */
export function shared<T>(make: (own: AsyncDisposableStack) => Promise<T>): () => T {
  const own = new AsyncDisposableStack()
  let made: T | undefined
  beforeAll(async () => {
    if (guestSkipReason === undefined) made = await make(own)
  })
  afterAll(() => own.disposeAsync())
  beforeEach(({ skip, onTestFailed }) => {
    skip(guestSkipReason !== undefined, guestSkipReason)
    onTestFailed(async () => {
      for (const guest of liveGuests) process.stderr.write(`${await guest.diagnosis()}\n`)
    })
  })
  return () => {
    if (made === undefined) throw new Error('What the tests share is made before the first test.')
    return made
  }
}
