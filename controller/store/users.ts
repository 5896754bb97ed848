import { randomUUID } from 'node:crypto'
import { ApiError } from '../../shared/api/errors.ts'
import { keys } from './keys.ts'
import { answersOf, type Redis } from './redis.ts'

export interface User {
  readonly id: string
  readonly email: string
  readonly passwordHash: string
  /** How often the password was changed, or sessions were ended otherwise. */
  readonly epoch: number
}

/** What an email address is known by, whatever its case: the same user, the same count of wrong tries. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase()
}

/** Whether it has the form of an email address. */
export function isEmail(text: string): boolean {
  return /^[^\s\p{Cc}@|;,]{1,64}@[^\s\p{Cc}@|;,]{1,189}$/u.test(text)
}

/** The address as it is kept. @throws ApiError `invalid_body` when it is none */
export function checkEmail(email: string): string {
  const address = email.trim()
  if (isEmail(address)) return address
  throw new ApiError('invalid_body', `"${email.slice(0, 260)}" is not an email address.`, {
    details: { field: 'email', value: email.slice(0, 260) },
  })
}

/** What people call a user; null where they did not say. */
export interface PersonName {
  readonly first: string | null
  readonly last: string | null
}

/** Whom a list shows. */
export interface Person {
  readonly email: string
  readonly name: PersonName
}

/** Users, known by their email address whatever its case. */
export interface Users {
  /** @throws ApiError `invalid_body` when the address is not one or belongs to a user already */
  add(email: string, passwordHash: string): Promise<User>
  findByEmail(email: string): Promise<User | undefined>
  /** Gives the epoch of the new password: sessions of another one are over. */
  setPasswordHash(userId: string, passwordHash: string): Promise<number>
  /** Ends all sessions of the user, and what was begun with the password. */
  endSessions(userId: string): Promise<void>
  /** How often the password was changed, or sessions were ended otherwise. */
  epochOf(userId: string): Promise<number>
  nameOf(userId: string): Promise<PersonName>
  setName(userId: string, name: PersonName): Promise<void>
  companiesOf(userId: string): Promise<string[]>
  /** In the order of the ids; the address of a user that is gone is empty. */
  peopleOf(userIds: readonly string[]): Promise<Person[]>
}

/** Opens the store of users. */
export function openUsers(redis: Redis): Users {
  return {
    async add(email, passwordHash) {
      const address = checkEmail(email)
      const id = randomUUID()
      await redis.hset(keys.user(id), { id, email: address, passwordHash, createdMs: Date.now() })
      if ((await redis.hsetnx(keys.userIds, emailKey(address), id)) === 1)
        return { id, email: address, passwordHash, epoch: 0 }
      await redis.del(keys.user(id))
      throw new ApiError('invalid_body', `There is a user ${address} already.`, {
        details: { field: 'email', value: address },
      })
    },
    async findByEmail(email) {
      const id = await redis.hget(keys.userIds, emailKey(email))
      if (id === null) return undefined
      const record = await redis.hgetall(keys.user(id))
      return {
        id,
        email: record['email'] ?? email,
        passwordHash: record['passwordHash'] ?? '',
        epoch: Number(record['epoch'] ?? 0),
      }
    },
    async setPasswordHash(userId, passwordHash) {
      const key = keys.user(userId)
      const changed = redis
        .multi()
        .hset(key, { passwordHash })
        .hincrby(key, 'epoch', 1)
        // A code that was asked for before must not undo it.
        .hdel(key, 'resetHash', 'resetExpiresMs')
      return Number((await answersOf(changed))[1])
    },
    async endSessions(userId) {
      await redis.hincrby(keys.user(userId), 'epoch', 1)
    },
    peopleOf: (userIds) =>
      Promise.all(
        userIds.map(async (userId) => {
          const fields = ['email', 'firstName', 'lastName']
          const [email, first, last] = await redis.hmget(keys.user(userId), ...fields)
          return { email: email ?? '', name: { first: first || null, last: last || null } }
        }),
      ),
    epochOf: async (userId) => Number((await redis.hget(keys.user(userId), 'epoch')) ?? 0),
    async nameOf(userId) {
      const [first, last] = await redis.hmget(keys.user(userId), 'firstName', 'lastName')
      return { first: first || null, last: last || null }
    },
    async setName(userId, { first, last }) {
      await redis.hset(keys.user(userId), { firstName: first ?? '', lastName: last ?? '' })
    },
    companiesOf: (userId) => redis.smembers(keys.userCompanies(userId)),
  }
}
