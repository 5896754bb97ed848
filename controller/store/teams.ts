import { randomBytes, randomUUID } from 'node:crypto'
import type { Seal } from '../auth/seal.ts'
import { keys } from './keys.ts'
import { checkName, nameKey, nameTaken } from './names.ts'
import { loadScript, redisNowMs, type Redis } from './redis.ts'
import type { SealedPlace } from './sealed-place.ts'

export interface Team {
  readonly id: string
  readonly name: string
  readonly companyId: string
}

/** A team with what its settings page shows. */
export interface TeamDetail extends Team {
  readonly createdMs: number
  readonly updatedMs: number
  readonly secretSetMs: number
  /** Absent while the secret is the first one. */
  readonly secretSetBy: string | undefined
}

interface TeamRecord {
  readonly id: string
  readonly name: string
  /** The name as it is compared; absent in old records. */
  readonly nameKey?: string
  readonly secretSealed: string
  readonly createdMs: number
  readonly updatedMs?: number
  readonly secretSetMs?: number
  readonly secretSetBy?: string
}

/** Teams of companies, each with the secret that hosts join with. */
export interface Teams extends SealedPlace {
  /** The oldest first. */
  list(companyId: string): Promise<TeamDetail[]>
  read(companyId: string, teamId: string): Promise<TeamDetail | undefined>
  /** @throws ApiError `name_taken`, or `invalid_body` when the name is not allowed */
  add(companyId: string, name: string): Promise<TeamDetail & { secret: string }>
  /** Undefined when the team is gone. @throws ApiError as `add` */
  rename(team: Team, name: string): Promise<TeamDetail | undefined>
  /** The new secret in the clear; hosts that joined before stay. Undefined when the team is gone. */
  resetSecret(team: Team, who: string): Promise<string | undefined>
  /** The secret in the clear. @throws Error when the team is gone */
  readSecret(team: Team): Promise<string>
  /** Forgets the team: from now on no session, secret or agent of it is valid. */
  remove(team: Team): Promise<boolean>
}

/** Opens the store of teams; secrets are sealed with the controller's key. */
export function openTeams(redis: Redis, seal: Seal): Teams {
  const change = async (team: Team, edit: (record: TeamRecord) => TeamRecord) => {
    for (;;) {
      const text = await redis.hget(keys.companyTeams(team.companyId), team.id)
      if (text === null) return undefined
      const record = { ...edit(JSON.parse(text) as TeamRecord), updatedMs: Date.now() }
      if (await write(redis, team.companyId, record, text)) return toDetail(team.companyId, record)
    }
  }
  return {
    list: async (companyId) =>
      (await redis.hvals(keys.companyTeams(companyId)))
        .map((text) => toDetail(companyId, JSON.parse(text) as TeamRecord))
        .sort((a, b) => a.createdMs - b.createdMs),
    async read(companyId, teamId) {
      const text = await redis.hget(keys.companyTeams(companyId), teamId)
      return text === null ? undefined : toDetail(companyId, JSON.parse(text) as TeamRecord)
    },
    add: (companyId, name) => add(redis, seal, companyId, name),
    async rename(team, name) {
      const checked = checkName('team', name)
      return await change(team, (record) => ({
        ...record,
        name: checked,
        nameKey: nameKey(checked),
      }))
    },
    async resetSecret(team, who) {
      const secret = newSecret()
      const secretSealed = seal.close(secret, secretOf(team.companyId, team.id))
      const fresh = { secretSealed, secretSetMs: Date.now(), secretSetBy: who }
      return (await change(team, (record) => ({ ...record, ...fresh }))) && secret
    },
    async readSecret(team) {
      const text = await redis.hget(keys.companyTeams(team.companyId), team.id)
      if (text === null) throw new Error(`There is no team ${team.id}.`)
      const { secretSealed } = JSON.parse(text) as TeamRecord
      return seal.open(secretSealed, secretOf(team.companyId, team.id))
    },
    async remove(team) {
      // First, so that its data are removed whatever happens in between.
      await redis.zadd(keys.removedTeams, await redisNowMs(redis, keys.removedTeams), team.id)
      const removed = await redis.hdel(keys.companyTeams(team.companyId), team.id)
      await redis.hdel(keys.teamCompanies, team.id)
      return removed === 1
    },
    async reseal() {
      let changed = 0
      for (const companyId of await redis.hvals(keys.companyNames))
        for (const id of await redis.hkeys(keys.companyTeams(companyId)))
          if (await resealSecret(redis, seal, companyId, id)) changed += 1
      return changed
    },
  }
}

/** False when it is sealed with the key in use already, or the team is gone. */
async function resealSecret(
  redis: Redis,
  seal: Seal,
  companyId: string,
  id: string,
): Promise<boolean> {
  for (;;) {
    const text = await redis.hget(keys.companyTeams(companyId), id)
    if (text === null) return false
    const record = JSON.parse(text) as TeamRecord
    const secretSealed = seal.renew(record.secretSealed, secretOf(companyId, id))
    if (secretSealed === undefined) return false
    if (await write(redis, companyId, { ...record, secretSealed }, text)) return true
  }
}

/** What the secret of a team is sealed as. */
function secretOf(companyId: string, teamId: string): string {
  return `company ${companyId} team ${teamId} secret`
}

async function add(redis: Redis, seal: Seal, companyId: string, name: string) {
  const checked = checkName('team', name)
  const secret = newSecret()
  const id = randomUUID()
  const record: TeamRecord = {
    id,
    name: checked,
    nameKey: nameKey(checked),
    secretSealed: seal.close(secret, secretOf(companyId, id)),
    createdMs: Date.now(),
  }
  const made = await writeNew(redis, companyId, record)
  await redis.hset(keys.teamCompanies, id, companyId)
  return { ...toDetail(companyId, made), secret }
}

const writeTeam = loadScript('write-team')

/** Writes it as made in a millisecond of its own. @throws ApiError `name_taken` */
async function writeNew(redis: Redis, companyId: string, record: TeamRecord): Promise<TeamRecord> {
  let made = record
  while ((await tryToWrite(redis, companyId, made, '')) === 'same_moment')
    made = { ...made, createdMs: made.createdMs + 1 }
  return made
}

/** False when someone else changed the record meanwhile. @throws ApiError `name_taken` */
async function write(redis: Redis, companyId: string, record: TeamRecord, before: string) {
  return (await tryToWrite(redis, companyId, record, before)) === 'ok'
}

async function tryToWrite(redis: Redis, companyId: string, record: TeamRecord, before: string) {
  const name = record.nameKey ?? nameKey(record.name)
  const answer = await writeTeam.run(
    redis,
    [keys.companyTeams(companyId)],
    [record.id, before, JSON.stringify(record), name],
  )
  if (answer === 'taken') throw nameTaken('team', record.name)
  return answer as 'ok' | 'changed' | 'same_moment'
}

/** 192 random bits. */
function newSecret(): string {
  return randomBytes(24).toString('base64url')
}

function toDetail(companyId: string, record: TeamRecord): TeamDetail {
  const { id, name, createdMs } = record
  return {
    id,
    name,
    companyId,
    createdMs,
    updatedMs: record.updatedMs ?? createdMs,
    secretSetMs: record.secretSetMs ?? createdMs,
    secretSetBy: record.secretSetBy,
  }
}

/** The team that this id or name means, among those of a company. */
export function findTeamIn<T extends Team>(teams: readonly T[], idOrName: string): T | undefined {
  const wanted = nameKey(idOrName)
  // An id wins: nobody hides a team behind another's name.
  return teams.find(({ id }) => id === wanted) ?? teams.find(({ name }) => nameKey(name) === wanted)
}
