import { randomBytes, randomUUID } from 'node:crypto'
import { ApiError } from '../../shared/api/errors.ts'
import type { CompanyRole, TeamRole } from '../../shared/roles.ts'
import type { Seal } from '../auth/key-file.ts'
import { keys } from './keys.ts'
import type { Redis } from './redis.ts'

export interface Company {
  readonly id: string
  readonly name: string
}

export interface Team {
  readonly id: string
  readonly name: string
  readonly companyId: string
}

/** What a user is in one company: company roles, and the roles in each team. */
export interface Membership {
  readonly roles: readonly CompanyRole[]
  readonly teams: Readonly<Record<string, readonly TeamRole[]>>
}

interface TeamRecord {
  readonly id: string
  readonly name: string
  readonly secretSealed: string
  readonly createdMs: number
}

/** Companies, their teams and who belongs to them. */
export interface Companies {
  /** @throws ApiError `invalid_body` when the name is taken or not allowed */
  addCompany(name: string): Promise<Company>
  addTeam(company: Company, name: string): Promise<Team & { secret: string }>
  findCompany(name: string): Promise<Company | undefined>
  readCompany(companyId: string): Promise<Company | undefined>
  listTeams(companyId: string): Promise<Team[]>
  findTeam(teamId: string): Promise<Team | undefined>
  readTeam(companyId: string, teamId: string): Promise<Team | undefined>
  /** The team's enrolment secret in the clear. */
  readTeamSecret(team: Team): Promise<string>
  readMembership(companyId: string, userId: string): Promise<Membership | undefined>
  writeMembership(companyId: string, userId: string, membership: Membership): Promise<void>
  allTeamIds(): Promise<string[]>
}

/** Opens the store of companies; team secrets are sealed with the controller's key. */
export function openCompanies(redis: Redis, seal: Seal): Companies {
  const readTeam = async (companyId: string, teamId: string): Promise<Team | undefined> => {
    const text = await redis.hget(keys.companyTeams(companyId), teamId)
    return text === null ? undefined : toTeam(companyId, JSON.parse(text) as TeamRecord)
  }
  const readCompany = async (companyId: string): Promise<Company | undefined> => {
    const name = await redis.hget(keys.company(companyId), 'name')
    return name === null ? undefined : { id: companyId, name }
  }
  return {
    readCompany,
    addCompany: (name) => addCompany(redis, name),
    addTeam: (company, name) => addTeam(redis, seal, company, name),
    async findCompany(name) {
      const id = await redis.hget(keys.companyNames, name.trim().toLowerCase())
      return id === null ? undefined : await readCompany(id)
    },
    listTeams: async (companyId) =>
      (await readTeams(redis, companyId))
        .sort((a, b) => a.createdMs - b.createdMs)
        .map((record) => toTeam(companyId, record)),
    readTeam,
    async findTeam(teamId) {
      const companyId = await redis.hget(keys.teamCompanies, teamId)
      return companyId === null ? undefined : await readTeam(companyId, teamId)
    },
    async readTeamSecret(team) {
      const text = await redis.hget(keys.companyTeams(team.companyId), team.id)
      if (text === null) throw new Error(`There is no team ${team.id}.`)
      return seal.open((JSON.parse(text) as TeamRecord).secretSealed)
    },
    async readMembership(companyId, userId) {
      const text = await redis.hget(keys.companyMembers(companyId), userId)
      return text === null ? undefined : (JSON.parse(text) as Membership)
    },
    async writeMembership(companyId, userId, membership) {
      await redis.hset(keys.companyMembers(companyId), userId, JSON.stringify(membership))
      await redis.sadd(keys.userCompanies(userId), companyId)
    },
    allTeamIds: () => redis.hkeys(keys.teamCompanies),
  }
}

async function addCompany(redis: Redis, name: string): Promise<Company> {
  checkName('company', name)
  const company = { id: randomUUID(), name: name.trim() }
  const isNew = await redis.hsetnx(keys.companyNames, company.name.toLowerCase(), company.id)
  if (isNew === 0) throw nameTaken('company', name)
  await redis.hset(keys.company(company.id), { ...company, createdMs: Date.now() })
  return company
}

async function addTeam(
  redis: Redis,
  seal: Seal,
  company: Company,
  name: string,
): Promise<Team & { secret: string }> {
  checkName('team', name)
  const teams = await readTeams(redis, company.id)
  if (teams.some((team) => sameName(team.name, name))) throw nameTaken('team', name)
  const secret = randomBytes(24).toString('base64url')
  const record: TeamRecord = {
    id: randomUUID(),
    name,
    secretSealed: seal.close(secret),
    createdMs: Date.now(),
  }
  await redis.hset(keys.companyTeams(company.id), record.id, JSON.stringify(record))
  await redis.hset(keys.teamCompanies, record.id, company.id)
  return { ...toTeam(company.id, record), secret }
}

async function readTeams(redis: Redis, companyId: string): Promise<TeamRecord[]> {
  const records = await redis.hvals(keys.companyTeams(companyId))
  return records.map((text) => JSON.parse(text) as TeamRecord)
}

function toTeam(companyId: string, record: TeamRecord): Team {
  return { id: record.id, name: record.name, companyId }
}

/** `|`, `;` and `,` separate fields in SAML RelayState and in role claims, so names never hold them. */
function checkName(what: string, name: string): void {
  const bad = /[|;,\p{Cc}]/u.exec(name)
  if (bad || name.trim() === '' || name.length > 100)
    throw new ApiError(
      'invalid_body',
      `The ${what} name "${name.slice(0, 120)}" is not allowed. Allowed: 1 to 100 characters, none of | ; , and no control characters.`,
      { details: { field: 'name', value: name.slice(0, 120) } },
    )
}

function nameTaken(what: string, name: string): ApiError {
  return new ApiError('invalid_body', `There is a ${what} named "${name}" already. Take another.`, {
    details: { field: 'name', value: name },
  })
}

function sameName(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}
