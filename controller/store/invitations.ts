import { keys } from './keys.ts'
import type { Membership } from './members.ts'
import { loadScript, type Redis } from './redis.ts'
import { readHash } from './scan.ts'
import { emailKey, type PersonName } from './users.ts'

/** Who may join a company with which code, and as what. */
export interface InvitationRecord {
  readonly email: string
  /** How the inviter calls them; absent in old records. */
  readonly name?: PersonName
  /** Keyed hash of the code. */
  readonly codeHash: string
  /** The code went to the mailbox of the address, and nobody else was shown it; absent in old records. */
  readonly isMailed?: boolean
  readonly invitedBy: string
  readonly createdMs: number
  readonly expiresMs: number
  readonly membership: Membership
}

/** Invitations of companies, one for each address; a newer one replaces it. */
export interface Invitations {
  put(companyId: string, invitation: InvitationRecord): Promise<void>
  find(companyId: string, email: string): Promise<InvitationRecord | undefined>
  /** Those that have not expired. */
  list(companyId: string): Promise<InvitationRecord[]>
  withdraw(companyId: string, email: string): Promise<boolean>
  /** Uses an invitation up. True for exactly one of several who try. */
  take(companyId: string, invitation: InvitationRecord): Promise<boolean>
}

const takeField = loadScript('take-field')

/** Opens the store of invitations. */
export function openInvitations(redis: Redis): Invitations {
  const read = async (companyId: string, email: string) =>
    await redis.hget(keys.companyInvitations(companyId), emailKey(email))
  return {
    async put(companyId, invitation) {
      const field = emailKey(invitation.email)
      await redis.hset(keys.companyInvitations(companyId), field, JSON.stringify(invitation))
    },
    async find(companyId, email) {
      const text = await read(companyId, email)
      const found = text === null ? undefined : (JSON.parse(text) as InvitationRecord)
      return found && found.expiresMs > Date.now() ? found : undefined
    },
    list: async (companyId) =>
      [...(await readHash(redis, keys.companyInvitations(companyId))).values()]
        .map((text) => JSON.parse(text) as InvitationRecord)
        .filter((one) => one.expiresMs > Date.now()),
    withdraw: async (companyId, email) =>
      (await redis.hdel(keys.companyInvitations(companyId), emailKey(email))) === 1,
    async take(companyId, invitation) {
      const hash = keys.companyInvitations(companyId)
      const text = JSON.stringify(invitation)
      return (await takeField.run(redis, [hash], [emailKey(invitation.email), text])) === 1
    },
  }
}
