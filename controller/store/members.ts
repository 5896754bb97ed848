import { ApiError } from '../../shared/api/errors.ts'
import type { CompanyRole, TeamRole } from '../../shared/roles.ts'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'
import { fieldsOf, readHash } from './scan.ts'

/** What a user is in one company: company roles, and the roles in each team. */
export interface Membership {
  readonly roles: readonly CompanyRole[]
  readonly teams: Readonly<Record<string, readonly TeamRole[]>>
  /** When the access began, last; sessions from before are of no use. */
  readonly sinceMs?: number | undefined
  readonly invitedBy?: string | undefined
}

/** A membership with its life. */
export interface Member extends Membership {
  readonly state: 'ACTIVE' | 'REVOKED'
  readonly createdMs: number
  readonly updatedMs: number
  readonly sinceMs: number
}

/** Who belongs to which company as what. */
export interface Members {
  /** Only while the access is not revoked. */
  findActive(companyId: string, userId: string): Promise<Member | undefined>
  find(companyId: string, userId: string): Promise<Member | undefined>
  list(companyId: string): Promise<(Member & { readonly userId: string })[]>
  /** Makes or replaces a membership, whatever it was; for those who are not bound by roles. */
  put(companyId: string, userId: string, membership: Membership): Promise<void>
  /**
   * Changes a membership; `edit` is asked again when someone else changed it meanwhile, so that its checks
   * hold for what is replaced.
   * @throws ApiError `last_owner`, `user_not_found` for nobody, and what `edit` throws
   */
  change(companyId: string, userId: string, edit: (now: Member) => Member): Promise<Member>
  /**
   * Replaces all that a user is in the company by what `claim` gives, or makes them a member. It is asked
   * again when someone else changed it meanwhile. Undefined when one of the teams is gone. The last owner is
   * not spared: who claims roles for people decides.
   * @throws what `claim` throws
   */
  claim(
    companyId: string,
    userId: string,
    claim: (now: Member | undefined) => Pick<Membership, 'roles' | 'teams'>,
  ): Promise<{ readonly before: Member | undefined; readonly after: Member } | undefined>
  /** Adds a user who is not a member. False when they are, active or revoked. */
  add(companyId: string, userId: string, membership: Membership): Promise<boolean>
  /** Takes everybody out of a team. */
  leaveTeam(companyId: string, teamId: string): Promise<void>
}

/** Opens the store of members. */
export function openMembers(redis: Redis): Members {
  const read = async (companyId: string, userId: string) =>
    (await redis.hget(keys.companyMembers(companyId), userId)) ?? undefined
  const members: Members = {
    async find(companyId, userId) {
      const text = await read(companyId, userId)
      return text === undefined ? undefined : toMember(text)
    },
    async findActive(companyId, userId) {
      const member = await members.find(companyId, userId)
      return member?.state === 'ACTIVE' ? member : undefined
    },
    list: async (companyId) =>
      [...(await readHash(redis, keys.companyMembers(companyId)))].map(([userId, text]) => ({
        userId,
        ...toMember(text),
      })),
    async put(companyId, userId, membership) {
      const before = await members.findActive(companyId, userId)
      const member = { ...newMember(membership), ...(before ? { sinceMs: before.sinceMs } : {}) }
      await redis.hset(keys.companyMembers(companyId), userId, JSON.stringify(member))
      await redis.sadd(keys.userCompanies(userId), companyId)
    },
    async change(companyId, userId, edit) {
      for (;;) {
        const before = await read(companyId, userId)
        if (before === undefined) throw nobody(userId)
        const after = { ...edit(toMember(before)), updatedMs: Date.now() }
        if (await write(redis, companyId, userId, before, after)) return after
      }
    },
    claim: (companyId, userId, claim) => applyTo(redis, companyId, userId, claim),
    async add(companyId, userId, membership) {
      // The index first: cut off in between, it names a company without membership, which is none.
      await redis.sadd(keys.userCompanies(userId), companyId)
      return await write(redis, companyId, userId, '', newMember(membership))
    },
    async leaveTeam(companyId, teamId) {
      for (const { userId, teams } of await members.list(companyId))
        if (teams[teamId])
          await members.change(companyId, userId, (now) => ({
            ...now,
            teams: Object.fromEntries(Object.entries(now.teams).filter(([id]) => id !== teamId)),
          }))
    },
  }
  return members
}

const applyClaims = loadScript('apply-claims')

async function applyTo(
  redis: Redis,
  companyId: string,
  userId: string,
  claim: Parameters<Members['claim']>[2],
): ReturnType<Members['claim']> {
  const [members, teamsOf] = [keys.companyMembers(companyId), keys.companyTeams(companyId)]
  for (;;) {
    const text = (await redis.hget(members, userId)) ?? ''
    const before = text === '' ? undefined : toMember(text)
    const { roles, teams } = claim(before)
    const after: Member = before
      ? { ...before, roles, teams, updatedMs: Date.now() }
      : newMember({ roles, teams })
    // The index first: cut off in between, it names a company without membership, which is none.
    await redis.sadd(keys.userCompanies(userId), companyId)
    const args = [userId, text, JSON.stringify(after), ...Object.keys(teams)]
    const answer = await applyClaims.run(redis, [members, teamsOf], args)
    if (answer === 'ok') return { before, after }
    if (answer === 'no_team') return undefined
  }
}

const writeMember = loadScript('write-member')

/** False when the record, or the other owner, is not what it was. @throws ApiError `last_owner` */
async function write(
  redis: Redis,
  companyId: string,
  userId: string,
  before: string,
  after: Member,
): Promise<boolean> {
  const dethrones = before !== '' && isOwner(toMember(before)) && !isOwner(after)
  const heir = dethrones ? await findOwner(redis, companyId, userId) : ''
  if (heir === undefined)
    throw new ApiError(
      'last_owner',
      'The company would have no owner any more. Make somebody else an owner first.',
    )
  const args = [userId, before, JSON.stringify(after), heir]
  return (await writeMember.run(redis, [keys.companyMembers(companyId)], args)) === 'ok'
}

/** An active owner besides this one, who may cease to be one before it is written. */
async function findOwner(
  redis: Redis,
  companyId: string,
  besides: string,
): Promise<string | undefined> {
  for await (const [userId, text] of fieldsOf(redis, keys.companyMembers(companyId)))
    if (userId !== besides && isOwner(toMember(text))) return userId
  return undefined
}

function isOwner({ state, roles }: Member): boolean {
  return state === 'ACTIVE' && roles.includes('COMPANY_OWNER')
}

function newMember({ roles, teams, invitedBy }: Membership): Member {
  const now = Date.now()
  return { roles, teams, invitedBy, state: 'ACTIVE', createdMs: now, updatedMs: now, sinceMs: now }
}

function toMember(text: string): Member {
  const record = JSON.parse(text) as Membership & Partial<Member>
  return { state: 'ACTIVE', createdMs: 0, updatedMs: 0, sinceMs: 0, ...record }
}

function nobody(userId: string): ApiError {
  return new ApiError('user_not_found', `The company has no user ${userId}.`)
}
