import { randomUUID } from 'node:crypto'
import { ApiError } from '../../shared/api/errors.ts'
import type { AttemptLimit, Attempts } from '../store/attempts.ts'
import { emailKey } from '../store/users.ts'
import type { Seal } from './seal.ts'
import { network, type Claimant } from './lock-out.ts'

const windowMs = 15 * 60_000
const perUser: AttemptLimit = { most: 3, windowMs }
const perAddress: AttemptLimit = { most: 30, windowMs }
const perInvited: AttemptLimit = { most: 5, windowMs: 60 * 60_000 }

/**
 * Counts mails that anybody may ask for in somebody's name. False when that user was sent enough; users that
 * do not exist are counted alike.
 * @throws ApiError `locked_out` for an address that asks too often
 */
export type MailRation = (who: Claimant) => Promise<boolean>

/** Makes the ration. It is apart from the count of wrong tries: asking for mails locks nobody out. */
function createMailRation(attempts: Attempts, seal: Seal): MailRation {
  return async ({ email, address }) => {
    const from = seal.hashToken(`mails from ${network(address)}`)
    const retryAfterSeconds = await take(attempts, from, perAddress)
    if (retryAfterSeconds > 0)
      throw new ApiError(
        'locked_out',
        'This address asked for too many mails. Wait as long as Retry-After says.',
        { retryAfterSeconds },
      )
    return (await take(attempts, seal.hashToken(`mails to ${emailKey(email)}`), perUser)) === 0
  }
}

/** Counts invitations mailed to somebody, whoever invites. 0, or the seconds until the next may go. */
export type InvitationRation = (email: string) => Promise<number>

/** Makes the ration of invitations. */
function createInvitationRation(attempts: Attempts, seal: Seal): InvitationRation {
  return (email) => take(attempts, seal.hashToken(`invitations to ${emailKey(email)}`), perInvited)
}

/** 0 when it may be, else the seconds until then. */
async function take(attempts: Attempts, subject: string, limit: AttemptLimit): Promise<number> {
  const id = randomUUID()
  const taken = await attempts.take(subject, id, limit)
  if (taken.kind === 'ok') await attempts.fail(subject, id, limit)
  if (taken.kind === 'locked') return Math.max(1, Math.ceil(taken.waitMs / 1000))
  return taken.kind === 'ok' ? 0 : 1
}

/** Both rations, each with its own count. */
export function createRations(attempts: Attempts, seal: Seal) {
  return {
    mayMail: createMailRation(attempts, seal),
    mayInvite: createInvitationRation(attempts, seal),
  }
}
