import { randomUUID } from 'node:crypto'
import { ApiError } from '../../shared/api/errors.ts'
import type { AttemptLimit, Attempts } from '../store/attempts.ts'
import { emailKey } from '../store/users.ts'
import type { Seal } from './seal.ts'
import { network, type Claimant } from './lock-out.ts'

const windowMs = 15 * 60_000
const perUser: AttemptLimit = { most: 3, windowMs }
const perAddress: AttemptLimit = { most: 30, windowMs }

/**
 * Counts mails that anybody may ask for in somebody's name. False when that user was sent enough; users that
 * do not exist are counted alike.
 * @throws ApiError `locked_out` for an address that asks too often
 */
export type MailRation = (who: Claimant) => Promise<boolean>

/** Makes the ration. It is apart from the count of wrong tries: asking for mails locks nobody out. */
export function createMailRation(attempts: Attempts, seal: Seal): MailRation {
  const take = async (subject: string, limit: AttemptLimit) => {
    const id = randomUUID()
    const taken = await attempts.take(subject, id, limit)
    if (taken.kind === 'ok') await attempts.fail(subject, id, limit)
    return taken
  }
  return async ({ email, address }) => {
    const fromAddress = await take(seal.hashToken(`mails from ${network(address)}`), perAddress)
    if (fromAddress.kind !== 'ok')
      throw new ApiError(
        'locked_out',
        'This address asked for too many mails. Wait as long as Retry-After says.',
        {
          retryAfterSeconds:
            fromAddress.kind === 'locked' ? Math.ceil(fromAddress.waitMs / 1000) : 1,
        },
      )
    const toUser = await take(seal.hashToken(`mails to ${emailKey(email)}`), perUser)
    return toUser.kind === 'ok'
  }
}
