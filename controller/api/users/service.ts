import { ApiError } from '../../../shared/api/errors.ts'
import type { User } from '../../../shared/api/users.ts'
import { companyEditNeeds, revocationNeeds, teamEditNeeds } from '../../../shared/role-rules.ts'
import type { CompanyRole, Privilege, TeamRole } from '../../../shared/roles.ts'
import type { AuditNote } from '../../audit/of-request.ts'
import type { Caller } from '../../auth/access.ts'
import { forbidden } from '../../auth/forbidden.ts'
import { checkOwnCompany } from '../../auth/own-company.ts'
import { userNotFound } from '../../records/not-found.ts'
import { toInvitedUser, toUser } from '../../records/users.ts'
import type { Member } from '../../store/members.ts'
import type { Store } from '../../store/store.ts'
import type { Team } from '../../store/teams.ts'

/** The people of the caller's company. Every change is checked against what its subject holds just then. */
export interface UserService {
  ofTeam(team: Team): Promise<User[]>
  /** @throws ApiError `company_not_found` */
  ofCompany(caller: Caller, companyId: string): Promise<User[]>
  /** @throws ApiError `invalid_body` for who is not active here, `already_in_team`, `forbidden` */
  addToTeam(caller: Caller, team: Team, emails: readonly string[]): Promise<void>
  /** No roles take the user out of the team. @throws ApiError `user_not_found`, `forbidden` */
  setTeamRoles(
    caller: Caller,
    team: Team,
    change: { readonly email: string; readonly roles: readonly TeamRole[] },
    audit: AuditNote,
  ): Promise<User>
  /** @throws ApiError `company_not_found`, `user_not_found`, `forbidden`, `last_owner` */
  setCompanyRoles(
    caller: Caller,
    where: { companyId: string; email: string },
    roles: readonly CompanyRole[],
    audit: AuditNote,
  ): Promise<User>
  /** @throws ApiError as `setCompanyRoles` */
  setState(
    caller: Caller,
    where: { companyId: string; email: string },
    state: Member['state'],
    audit: AuditNote,
  ): Promise<void>
}

/** Makes the service of users. */
export function createUserService(store: Store): UserService {
  const shown = async (companyId: string, email: string, userId: string, member: Member) => {
    const name = await store.users.nameOf(userId)
    return toUser(companyId, { email, userId, name }, member, await store.teams.list(companyId))
  }
  return {
    ofTeam: async (team) =>
      (await usersOf(store, team.companyId)).filter((user) =>
        user.team_memberships.some((one) => one.identifier === team.id),
      ),
    async ofCompany(caller, companyId) {
      checkOwnCompany(caller, companyId)
      return await usersOf(store, companyId)
    },
    addToTeam: (caller, team, emails) => addToTeam(store, caller, team, emails),
    async setTeamRoles(caller, team, { email, roles }, audit) {
      const { id, address } = await findMember(store, team.companyId, email)
      audit.target({ kind: 'user', id, name: address })
      const member = await store.members.change(team.companyId, id, (now) => {
        if (!now.teams[team.id]) throw userNotFound(email)
        audit.detail({ old: now.teams[team.id], new: roles })
        allow(teamEditNeeds(caller.membership, now, team.id, roles))
        return { ...now, teams: withRoles(now, team, roles) }
      })
      return await shown(team.companyId, address, id, member)
    },
    async setCompanyRoles(caller, { companyId, email }, roles, audit) {
      checkOwnCompany(caller, companyId)
      const { id, address } = await findMember(store, companyId, email)
      audit.target({ kind: 'user', id, name: address })
      const member = await store.members.change(companyId, id, (now) => {
        audit.detail({ old: now.roles, new: roles })
        allow(companyEditNeeds(caller.membership, now, roles))
        return { ...now, roles: [...new Set(roles)] }
      })
      return await shown(companyId, address, id, member)
    },
    async setState(caller, { companyId, email }, state, audit) {
      checkOwnCompany(caller, companyId)
      const { id, address } = await findMember(store, companyId, email)
      audit.target({ kind: 'user', id, name: address })
      await store.members.change(companyId, id, (now) => {
        audit.detail({ old: now.state, new: state })
        allow(revocationNeeds(caller.membership, now))
        const isBack = now.state === 'REVOKED' && state === 'ACTIVE'
        return { ...now, state, ...(isBack ? { sinceMs: Date.now() } : {}) }
      })
      // What was begun is over; the second factor itself stays, or to come back would be a way around it.
      if (state === 'REVOKED') await store.mfa.forgetPending(id)
      // Who comes back reinstates what is still theirs; a key that somebody else has does not come back with them.
      if (state === 'REVOKED') await store.apiKeys.revokeAll(id, companyId, caller.email)
    },
  }
}

async function usersOf(store: Store, companyId: string): Promise<User[]> {
  const [members, teams, invitations] = await Promise.all([
    store.members.list(companyId),
    store.teams.list(companyId),
    store.invitations.list(companyId),
  ])
  const people = await store.users.peopleOf(members.map(({ userId }) => userId))
  const users = people.flatMap((person, index) => {
    const member = members[index]
    return member ? toUser(companyId, { userId: member.userId, ...person }, member, teams) : []
  })
  return [...users, ...invitations.map((one) => toInvitedUser(companyId, one, teams))].sort(
    (a, b) => (a.identifier < b.identifier ? -1 : 1),
  )
}

async function addToTeam(store: Store, caller: Caller, team: Team, emails: readonly string[]) {
  const found = await Promise.all(
    emails.map(async (email) => {
      const user = await store.users.findByEmail(email)
      const member = user && (await store.members.find(team.companyId, user.id))
      if (member?.state === 'ACTIVE') return { id: user?.id ?? '', email, member }
      throw new ApiError(
        'invalid_body',
        `${email} is no active user of the company. Invite them first; nobody was added.`,
        { details: { field: 'identifier', value: email } },
      )
    }),
  )
  const present = found.find(({ member }) => member.teams[team.id])
  if (present)
    throw new ApiError(
      'already_in_team',
      `${present.email} is in the team ${team.name} already; nobody was added.`,
      { details: { field: 'identifier', value: present.email } },
    )
  const { defaultTeamRole } = await store.companySettings.read(team.companyId)
  for (const { id } of found)
    await store.members.change(team.companyId, id, (now) => {
      allow(teamEditNeeds(caller.membership, now, team.id, [defaultTeamRole]))
      return { ...now, teams: withRoles(now, team, now.teams[team.id] ?? [defaultTeamRole]) }
    })
}

function withRoles(member: Member, team: Team, roles: readonly TeamRole[]): Member['teams'] {
  const others = Object.entries(member.teams).filter(([id]) => id !== team.id)
  const own = roles.length > 0 ? [[team.id, [...new Set(roles)]] as const] : []
  return Object.fromEntries([...others, ...own])
}

async function findMember(store: Store, companyId: string, email: string) {
  const user = await store.users.findByEmail(email)
  if (!user || !(await store.members.find(companyId, user.id))) throw userNotFound(email)
  return { id: user.id, address: user.email }
}

function allow(missing: Privilege | undefined): void {
  if (missing) throw forbidden([missing])
}
