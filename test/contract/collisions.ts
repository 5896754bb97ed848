import type { Service } from '../support/service.ts'
import { walkedKey } from './documented.ts'
import { walkedOAuth } from './oauth-walk.ts'
import { withSecondFactor } from './second-factors.ts'

/**
 * What is there already and so collides, by operation; for the others an Idempotency-Key that was used
 * for another body does.
 */
export function collisionsIn({
  local,
}: Service): Record<string, { path?: string; json?: unknown } | undefined> {
  const owner = local.owner.email
  const ofOwner = `/companies/${local.company.id}/users/${owner}`
  return {
    createOrg: { json: { name: local.team.name } },
    updateTeam: { path: '/teams/Other', json: { name: local.team.name } },
    addTeamUsers: { json: [{ identifier: owner }] },
    setCompanyRoles: { path: ofOwner, json: { roles: ['COMPANY_USER'] } },
    setAuthPreferences: { json: { passwordEnabled: false } },
    enableMfa: { json: withSecondFactor },
    createSamlAlias: { json: { aliasId: 'there' } },
    setSamlProps: {
      json: {
        enabled: true,
        forced: true,
        entityId: 'https://other.example',
        idpUrl: 'https://idp.example/sso',
        certificate: walkedKey.certificate,
      },
    },
    setOAuthSettings: { json: { ...walkedOAuth, clientId: 'another' } },
    inviteToCompany: { json: [{ email: owner }] },
    inviteToTeam: { json: { email: owner } },
    revokeUser: { path: `${ofOwner}/active` },
  }
}
