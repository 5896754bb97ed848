import { join } from 'node:path'
import { openKeyFile } from '../../controller/auth/key-file.ts'
import { createSeal } from '../../controller/auth/seal.ts'
import { openRedis } from '../../controller/store/redis.ts'
import { openSetup } from '../../controller/store/setup.ts'
import { request, type Answer } from '../support/http.ts'
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

/** Makes a first owner with the right code where there is one. */
export async function setUpAgain(service: Service): Promise<Answer> {
  const redis = openRedis(service.local.redisUrl)
  try {
    const seal = createSeal(await openKeyFile(join(service.dataDir, 'keys.json')))
    const code = seal.deriveToken('first owner', await openSetup(redis).salt())
    const names = { company: 'Walked', team: 'Walked', email: 'first@b.c' }
    const json = { code, ...names, password: 'a password of theirs' }
    return await request(service.baseUrl, 'POST', '/v1/setup', { json })
  } finally {
    redis.disconnect()
  }
}
