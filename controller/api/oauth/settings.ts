import { randomUUID } from 'node:crypto'
import { ApiError } from '../../../shared/api/errors.ts'
import type { setOAuthSettings } from '../../../shared/api/oauth.ts'
import type { BodyOf } from '../../../shared/api/route.ts'
import { isLocal, readProviderUrl } from '../../auth/provider-settings.ts'
import { invalid } from '../../records/invalid.ts'
import { SsoRefusal } from '../../auth/sso-refusal.ts'
import type { Outbound } from '../../oauth/outbound.ts'
import { discover } from '../../oauth/provider.ts'
import type {
  DiscoveredProvider,
  OAuthSettings,
  ProviderAddresses,
  SignInSettings,
} from '../../store/sign-in-settings.ts'

type Given = BodyOf<typeof setOAuthSettings>

/** What is checked of a provider that is given. */
export interface CheckedProvider extends ProviderAddresses {
  readonly clientId: string
  readonly scope: string
  readonly discovered: DiscoveredProvider | undefined
  readonly redirectUris: readonly string[] | undefined
}

export interface ProviderRules {
  readonly outbound: Outbound
  /** Whether a provider may be on this machine. */
  readonly mayBeLocal: () => boolean
}

/**
 * Checks a provider. One with an issuer is asked for its addresses, and must be there.
 * @throws ApiError `invalid_body` naming the field
 */
export async function checkProvider(rules: ProviderRules, given: Given): Promise<CheckedProvider> {
  const read = (field: string, text: string) => readAddress(rules, field, text)
  const asked = given.issuer
    ? await ask(rules, readIssuer(rules, given.issuer), given.issuer)
    : undefined
  const address = (field: keyof ProviderAddresses) => {
    const text = given[field]
    const found = asked && read(field, asked[field])
    if (!text) {
      if (found) return found
      throw new ApiError('invalid_body', `${field} is missing. Add it, or an issuer.`, {
        details: { field },
      })
    }
    const url = read(field, text)
    if (found && found !== url)
      invalid(field, text, `what the issuer tells, which is ${found}; or leave it out`)
    return url
  }
  return {
    authorizationUri: address('authorizationUri'),
    tokenUri: address('tokenUri'),
    userInfoUri: address('userInfoUri'),
    clientId: given.clientId,
    scope: given.scope?.trim() || (asked ? 'openid email' : 'email'),
    discovered: asked && onlyDiscovered(asked),
    redirectUris: given.redirectUris?.map((uri) => readProviderUrl('redirectUris', uri)),
  }
}

/** The settings with the provider that was checked. Whoever came in with another one proves nothing. */
export function withOAuth(
  now: SignInSettings,
  given: Given,
  checked: CheckedProvider,
  secret: { readonly sealed: string; readonly isAsBefore: (sealed: string) => boolean },
): SignInSettings {
  const before = now.oauth
  const proves = before && isSame(before, checked) && secret.isAsBefore(before.clientSecretSealed)
  const oauth: OAuthSettings = {
    ...checked,
    clientSecretSealed: secret.sealed,
    redirectUris: checked.redirectUris ?? before?.redirectUris ?? [],
    acceptsForeignTokens: given.acceptsForeignTokens ?? before?.acceptsForeignTokens ?? false,
    version: randomUUID(),
    proofs: proves ? before.proofs : [],
  }
  const oauthEnabled = given.enabled ?? (before ? now.preferences.oauthEnabled : true)
  return { ...now, oauth, preferences: { ...now.preferences, oauthEnabled } }
}

function isSame(before: OAuthSettings, now: CheckedProvider): boolean {
  const names = ['authorizationUri', 'tokenUri', 'userInfoUri', 'clientId', 'scope'] as const
  return (
    names.every((name) => before[name] === now[name]) &&
    before.discovered?.issuer === now.discovered?.issuer
  )
}

function readAddress({ mayBeLocal }: ProviderRules, field: string, text: string): string {
  const href = readProviderUrl(field, text)
  if (isLocal(new URL(href).hostname) && !mayBeLocal())
    invalid(field, text, 'an https address that is not this machine (TEMBLOR_LOCAL_PROVIDERS)')
  return href
}

/** Exactly as it is given: an issuer is compared letter by letter. */
function readIssuer(rules: ProviderRules, text: string): string {
  readAddress(rules, 'issuer', text)
  if (text.includes('?')) invalid('issuer', text, 'an https address without a query')
  return text.trim()
}

async function ask({ outbound }: ProviderRules, issuer: string, text: string) {
  try {
    return await discover(outbound, issuer)
  } catch (error) {
    if (error instanceof SsoRefusal)
      invalid('issuer', text, `a provider that answers there. ${error.message}`)
    throw error
  }
}

function onlyDiscovered({
  issuer,
  jwksUri,
  tokenAuth,
  namesItself,
  algorithms,
}: DiscoveredProvider): DiscoveredProvider {
  return { issuer, jwksUri, tokenAuth, namesItself, algorithms }
}
