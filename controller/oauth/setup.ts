import type { SsoSetup } from '../../shared/api/sso.ts'
import { callbackUri } from './begin.ts'

/** What an OAuth provider of this company is told, for people who enter it there. */
export function oauthSetup(company: { readonly name: string }, siteUrl: string): SsoSetup['oauth'] {
  const query = new URLSearchParams({ companyName: company.name })
  return {
    redirectUri: callbackUri(siteUrl),
    loginUrl: `${siteUrl}/v1/oauth/login?${query.toString()}`,
    grantType: 'authorization_code',
    codeChallengeMethod: 'S256',
    scope: 'openid email',
    claims: [
      { name: 'company_roles', values: 'a list of company roles' },
      { name: 'team_roles', values: 'a list of <team or its id>;<ROLE>[,<ROLE>...]' },
    ],
  }
}
