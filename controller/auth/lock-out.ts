import { randomUUID } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { ApiError } from '../../shared/api/errors.ts'
import type { AttemptLimit, Attempts, Taken } from '../store/attempts.ts'
import { emailKey } from '../store/users.ts'
import type { Seal } from './seal.ts'

/** Who tries to sign in, as he says, and from where. */
export interface Claimant {
  readonly email: string
  /** Address of the connection, or what a trusted proxy says it was. */
  readonly address: string
}

/** Counts wrong passwords and codes; too many lock the user or the address out for a while. */
export interface LockOut {
  /**
   * Runs a check that throws `invalid_credentials` when what was given is wrong. The try counts before
   * the check begins; one that succeeds clears the user's. Sessions and keys that exist are never touched.
   * @throws ApiError `locked_out`, `too_many_logins`, or what the check throws
   */
  guard<T>(who: Claimant, check: () => Promise<T>): Promise<T>
  /**
   * Runs a check that throws `sso_refused`, of something that names nobody before it is read: only the address
   * counts, by itself, so that a provider that is set up wrongly locks nobody out for long.
   * @throws ApiError `locked_out`, `too_many_logins`, or what the check throws
   */
  guardProvider<T>(address: string, check: () => Promise<T>): Promise<T>
  /** Lets a user try again at once. */
  release(email: string): Promise<void>
  /** Lets people try again from an address at once. */
  releaseAddress(address: string): Promise<void>
}

const windowMs = 15 * 60_000
const perUser: AttemptLimit = { most: 5, windowMs }
/** An office behind one address mistypes more often than one person. */
const perAddress: AttemptLimit = { most: 100, windowMs }
/** Refused answers of providers: what a whole office brings until somebody notices. */
const perProviderAddress: AttemptLimit = { most: 100, windowMs: 60_000 }

/** Makes the lock-out. Users that do not exist are counted and locked like those that do. */
export function createLockOut(attempts: Attempts, seal: Seal): LockOut {
  const userSubject = (email: string) => seal.hashToken(`user ${emailKey(email)}`)
  const addressSubject = (address: string) => seal.hashToken(`address ${network(address)}`)
  const providerSubject = (address: string) => seal.hashToken(`provider at ${network(address)}`)
  return {
    release: (email) => attempts.forget(userSubject(email)),
    async releaseAddress(address) {
      await attempts.forget(addressSubject(address))
      await attempts.forget(providerSubject(address))
    },
    async guardProvider(address, check) {
      const [id, subject] = [randomUUID(), providerSubject(address)]
      refuse(await attempts.take(subject, id, perProviderAddress))
      try {
        const result = await check()
        await attempts.giveBack(subject, id)
        return result
      } catch (error) {
        const isRefused = error instanceof ApiError && error.code === 'sso_refused'
        await (isRefused
          ? attempts.fail(subject, id, perProviderAddress)
          : attempts.giveBack(subject, id))
        throw error
      }
    },
    async guard(who, check) {
      const id = randomUUID()
      const user = userSubject(who.email)
      const address = addressSubject(who.address)
      refuse(await attempts.take(address, id, perAddress))
      const taken = await attempts.take(user, id, perUser)
      // Who tries many locked users from one address uses up the address.
      if (taken.kind === 'locked') await attempts.fail(address, id, perAddress)
      if (taken.kind === 'busy') await attempts.giveBack(address, id)
      refuse(taken)
      try {
        const result = await check()
        await Promise.all([attempts.giveBack(address, id), attempts.forget(user)])
        return result
      } catch (error) {
        const isWrong = error instanceof ApiError && error.code === 'invalid_credentials'
        await Promise.all([
          isWrong ? attempts.fail(address, id, perAddress) : attempts.giveBack(address, id),
          isWrong ? attempts.fail(user, id, perUser) : attempts.giveBack(user, id),
        ])
        throw error
      }
    },
  }
}

function refuse(taken: Taken): void {
  if (taken.kind === 'locked')
    throw new ApiError(
      'locked_out',
      'Too many wrong tries to sign in. Wait as long as Retry-After says; sessions and keys that exist go on.',
      { retryAfterSeconds: Math.ceil(taken.waitMs / 1000) },
    )
  if (taken.kind === 'busy')
    throw new ApiError('too_many_logins', 'Too many logins at once. Try again in a second.', {
      retryAfterSeconds: 1,
    })
}

/** The address, or the /64 network of an IPv6 address: one host has all of it. */
export function network(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped) return mapped
  const bare = address.split('%')[0] ?? ''
  if (!isIPv6(bare)) return address
  const [before = '', after] = bare.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after ? after.split(':') : []
  const zeros = after === undefined ? [] : Array<string>(8 - head.length - tail.length).fill('0')
  const groups = [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')
}
