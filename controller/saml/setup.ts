import type { SsoSetup } from '../../shared/api/sso.ts'
import { emailFormat, httpPost, httpRedirect, rsaSha256 } from './names.ts'
import { samlAddresses } from './provider.ts'
import { formatRelayState } from './relay-state.ts'

/** What an identity provider of this company is told, for people who enter it there. */
export function samlSetup(
  company: { readonly name: string },
  siteUrl: string,
  certificate: string,
): SsoSetup['saml'] {
  const { entityId, acs, app } = samlAddresses(siteUrl)
  const query = new URLSearchParams({ companyName: company.name })
  return {
    entityId,
    acsUrl: acs,
    metadataUrl: entityId,
    loginUrl: `${siteUrl}/v1/users/auth/saml/login?${query.toString()}`,
    relayState: formatRelayState({ company: company.name, app, destination: '/' }),
    nameIdFormat: emailFormat,
    requestBinding: httpRedirect,
    responseBinding: httpPost,
    signatureMethod: rsaSha256,
    certificate,
    attributes: [
      { name: 'company:roles', values: 'one company role each; or an alias, where these are on' },
      { name: 'team:roles', values: '<team or its id>;<ROLE>[,<ROLE>...], one for each team' },
      { name: 'team:<team or its id>', values: 'team roles; instead of team:roles' },
    ],
  }
}
