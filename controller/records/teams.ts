import type { Org, Team } from '../../shared/api/teams.ts'
import { timestamp } from '../../shared/api/timestamp.ts'
import type { TeamDetail } from '../store/teams.ts'

/** A team on the wire. */
export function toTeam(team: TeamDetail): Team {
  return {
    identifier: team.id,
    companyId: team.companyId,
    name: team.name,
    state: 'ACTIVE',
    secretSetAt: timestamp(team.secretSetMs),
    secretSetBy: team.secretSetBy ?? null,
    createdAt: timestamp(team.createdMs),
    updatedAt: timestamp(team.updatedMs),
  }
}

/** The same for older clients. */
export function toOrg(team: TeamDetail): Org {
  return {
    identifier: team.id,
    company_id: team.companyId,
    name: team.name,
    active: true,
    idle: false,
    auto_add_users: false,
    certificate_expiration_imminent: false,
    certificate_expires_on: null,
    certificate_set_at: null,
    certificate_set_by: null,
    secret_set_at: timestamp(team.secretSetMs),
    secret_set_by: team.secretSetBy ?? null,
    created_at: timestamp(team.createdMs),
    updated_at: timestamp(team.updatedMs),
  }
}
