import { randomUUID } from 'node:crypto'
import type { Seal } from '../auth/seal.ts'
import { keys } from './keys.ts'
import { openMembers, type Membership } from './members.ts'
import { checkName, nameKey, nameTaken } from './names.ts'
import type { Redis } from './redis.ts'
import { readHash } from './scan.ts'
import { openTeams, type Team } from './teams.ts'

export interface Company {
  readonly id: string
  readonly name: string
}

export type { Team } from './teams.ts'

export type { Membership } from './members.ts'

/** Companies, their teams and who belongs to them. */
export interface Companies {
  /** @throws ApiError `name_taken`, or `invalid_body` when the name is not allowed */
  addCompany(name: string): Promise<Company>
  addTeam(company: Company, name: string): Promise<Team & { secret: string }>
  findCompany(name: string): Promise<Company | undefined>
  readCompany(companyId: string): Promise<Company | undefined>
  /** When the company was made, epoch ms. */
  createdMsOf(companyId: string): Promise<number>
  listTeams(companyId: string): Promise<Team[]>
  findTeam(teamId: string): Promise<Team | undefined>
  readTeam(companyId: string, teamId: string): Promise<Team | undefined>
  /** The team's enrolment secret in the clear. */
  readTeamSecret(team: Team): Promise<string>
  /** Undefined also for a user whose access to the company was revoked. */
  readMembership(companyId: string, userId: string): Promise<Membership | undefined>
  writeMembership(companyId: string, userId: string, membership: Membership): Promise<void>
  memberIds(companyId: string): Promise<string[]>
  allTeamIds(): Promise<string[]>
  allIds(): Promise<string[]>
}

/** Opens the store of companies; team secrets are sealed with the controller's key. */
export function openCompanies(redis: Redis, seal: Seal): Companies {
  const teams = openTeams(redis, seal)
  const members = openMembers(redis)
  const readCompany = async (companyId: string): Promise<Company | undefined> => {
    const name = await redis.hget(keys.company(companyId), 'name')
    return name === null ? undefined : { id: companyId, name }
  }
  return {
    readCompany,
    addCompany: (name) => addCompany(redis, name),
    addTeam: (company, name) => teams.add(company.id, name),
    async findCompany(name) {
      const id = await redis.hget(keys.companyNames, nameKey(name))
      return id === null ? undefined : await readCompany(id)
    },
    createdMsOf: async (companyId) =>
      Number((await redis.hget(keys.company(companyId), 'createdMs')) ?? 0),
    listTeams: (companyId) => teams.list(companyId),
    readTeam: (companyId, teamId) => teams.read(companyId, teamId),
    async findTeam(teamId) {
      const companyId = await redis.hget(keys.teamCompanies, teamId)
      return companyId === null ? undefined : await teams.read(companyId, teamId)
    },
    readTeamSecret: (team) => teams.readSecret(team),
    readMembership: (companyId, userId) => members.findActive(companyId, userId),
    writeMembership: (companyId, userId, membership) => members.put(companyId, userId, membership),
    memberIds: async (companyId) => [
      ...(await readHash(redis, keys.companyMembers(companyId))).keys(),
    ],
    allTeamIds: async () => [...(await readHash(redis, keys.teamCompanies)).keys()],
    allIds: async () => [...(await readHash(redis, keys.companyNames)).values()],
  }
}

async function addCompany(redis: Redis, name: string): Promise<Company> {
  const company = { id: randomUUID(), name: checkName('company', name) }
  const isNew = await redis.hsetnx(keys.companyNames, nameKey(company.name), company.id)
  if (isNew === 0) throw nameTaken('company', name)
  await redis.hset(keys.company(company.id), { ...company, createdMs: Date.now() })
  return company
}
