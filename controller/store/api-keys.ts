import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'
import { readSet } from './scan.ts'

/** A key of the API. What it is is not kept, only its keyed hash. */
export interface ApiKeyRecord {
  readonly id: string
  readonly hash: string
  readonly name: string
  readonly description: string | undefined
  readonly userId: string
  /** Of its owner. */
  readonly email: string
  readonly companyId: string
  /** The team it works in; the oldest of its owner when absent. */
  readonly teamId: string | undefined
  readonly createdMs: number
  readonly expiresMs: number | undefined
  readonly revokedMs: number | undefined
  readonly revokedBy: string | undefined
  readonly usedMs: number | undefined
}

/** What may change in a key that works afterwards. */
export type KeyChange = Partial<Record<'expiresMs' | 'revokedMs' | 'revokedBy', string>>

/** Keys of the API, by user and by the keyed hash of what they are. */
export interface ApiKeys {
  /** False when the user has too many that work. */
  add(record: ApiKeyRecord, mostActive: number): Promise<boolean>
  /** Changes a key so that it works; an empty text removes a field. False when there are too many. */
  change(record: ApiKeyRecord, change: KeyChange, mostActive: number): Promise<boolean>
  revoke(record: ApiKeyRecord, by: string): Promise<void>
  /** Revokes what a user has in a company and is not revoked yet. */
  revokeAll(userId: string, companyId: string, by: string): Promise<void>
  find(hash: string): Promise<ApiKeyRecord | undefined>
  /** All keys of a user, the newest first. */
  list(userId: string): Promise<ApiKeyRecord[]>
  /** All keys of everybody in a company. */
  listCompany(companyId: string): Promise<ApiKeyRecord[]>
  markUsed(record: ApiKeyRecord, atMs: number): Promise<void>
}

const writeApiKey = loadScript('write-api-key')

/** Opens the store of keys. */
export function openApiKeys(redis: Redis): ApiKeys {
  const write = async (
    { userId, id }: ApiKeyRecord,
    fields: Record<string, string | number>,
    mostActive: number,
  ): Promise<boolean> => {
    const args = [id, keys.apiKeyPrefix(userId), mostActive, Date.now()]
    const pairs = Object.entries(fields).flat()
    return (await writeApiKey.run(redis, [keys.apiKeys(userId)], [...args, ...pairs])) === 1
  }
  const read = async (userId: string, id: string): Promise<ApiKeyRecord | undefined> =>
    toRecord(await redis.hgetall(keys.apiKeyPrefix(userId) + id))
  const list: ApiKeys['list'] = async (userId) => {
    const ids = await redis.smembers(keys.apiKeys(userId))
    const records = await Promise.all(ids.map((id) => read(userId, id)))
    return records
      .filter((record) => record !== undefined)
      .toSorted((a, b) => b.createdMs - a.createdMs)
  }
  const revoke: ApiKeys['revoke'] = async ({ userId, id }, by) => {
    const revoked = { revokedMs: Date.now(), revokedBy: by }
    await redis.hset(keys.apiKeyPrefix(userId) + id, revoked)
  }
  return {
    async add(record, mostActive) {
      const { id, userId, hash, companyId } = record
      // First the way to it, then the key: one that is cut off between leads nowhere.
      await redis.hset(keys.apiKeyHash(hash), { userId, id })
      await redis.sadd(keys.keyOwners(companyId), userId)
      const known = Object.entries(record).filter(([, value]) => value !== undefined)
      if (await write(record, Object.fromEntries(known), mostActive)) return true
      await redis.del(keys.apiKeyHash(hash))
      return false
    },
    change: (record, change, mostActive) => write(record, change, mostActive),
    revoke,
    async revokeAll(userId, companyId, by) {
      for (const record of await list(userId))
        if (record.companyId === companyId && record.revokedMs === undefined)
          await revoke(record, by)
    },
    async find(hash) {
      const [userId, id] = await redis.hmget(keys.apiKeyHash(hash), 'userId', 'id')
      return userId && id ? await read(userId, id) : undefined
    },
    list,
    async listCompany(companyId) {
      const userIds = await readSet(redis, keys.keyOwners(companyId))
      const all = await Promise.all(userIds.map((userId) => list(userId)))
      return all.flat().filter((record) => record.companyId === companyId)
    },
    async markUsed({ userId, id }, atMs) {
      await redis.hset(keys.apiKeyPrefix(userId) + id, { usedMs: atMs })
    },
  }
}

function toRecord(fields: Record<string, string>): ApiKeyRecord | undefined {
  const text = (name: string) => fields[name] ?? ''
  const number = (name: string) => (fields[name] === undefined ? undefined : Number(fields[name]))
  if (!fields['hash']) return undefined
  return {
    id: text('id'),
    hash: text('hash'),
    name: text('name'),
    description: fields['description'],
    userId: text('userId'),
    email: text('email'),
    companyId: text('companyId'),
    teamId: fields['teamId'],
    createdMs: number('createdMs') ?? 0,
    expiresMs: number('expiresMs'),
    revokedMs: number('revokedMs'),
    revokedBy: fields['revokedBy'],
    usedMs: number('usedMs'),
  }
}
