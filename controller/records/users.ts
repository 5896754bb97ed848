import { timestamp } from '../../shared/api/timestamp.ts'
import type { User } from '../../shared/api/users.ts'
import type { InvitationRecord } from '../store/invitations.ts'
import type { Member } from '../store/members.ts'
import type { PersonName } from '../store/users.ts'
import type { Team } from '../store/teams.ts'

/** Somebody who was invited and has not come yet. */
export function toInvitedUser(
  companyId: string,
  { email, name, invitedBy, createdMs, membership }: InvitationRecord,
  teams: readonly Team[],
): User {
  const life = { createdMs, updatedMs: createdMs, sinceMs: createdMs, invitedBy }
  const member = { ...membership, ...life, state: 'ACTIVE' } as const
  const shown = toUser(companyId, { email, userId: '', name }, member, teams)
  return { ...shown, user_id: null, state: 'INVITED' }
}

/** Somebody of a company on the wire; `teams` are those that there are. */
export function toUser(
  companyId: string,
  person: {
    readonly email: string
    readonly userId: string
    readonly name?: PersonName | undefined
  },
  member: Member,
  teams: readonly Team[],
): User {
  return {
    identifier: person.email,
    first_name: person.name?.first ?? null,
    last_name: person.name?.last ?? null,
    user_id: person.userId,
    company_id: companyId,
    state: member.state,
    roles: [...member.roles],
    team_memberships: teams.flatMap(({ id, name }) => {
      const roles = member.teams[id]
      return roles ? [{ identifier: id, name, company_id: companyId, roles: [...roles] }] : []
    }),
    created_at: timestamp(member.createdMs),
    updated_at: timestamp(member.updatedMs),
    invited_by: member.invitedBy ?? null,
  }
}
