import { ClaimError, readTokenClaims, type RoleClaims } from '../auth/claims.ts'
import { shown, SsoRefusal } from '../auth/sso-refusal.ts'
import { emailKey, isEmail } from '../store/users.ts'
import type { Vouched } from './provider.ts'

type Claims = Readonly<Record<string, unknown>>

/** Google's issuer, whose accounts may have addresses that Google does not look after. */
export const googleIssuer = 'https://accounts.google.com'

/**
 * Who it is by the provider of a company: `sub` where that is an email address, else `email`. An ID token may
 * say what userInfoUri does not, as some providers have it.
 * @throws SsoRefusal `identity`
 */
export function identityOf({ userInfo, idToken }: Pick<Vouched, 'userInfo' | 'idToken'>): string {
  const sub = emailIn(userInfo['sub'])
  if (sub) return sub
  const source = sourceOfEmail(userInfo, idToken)
  const email = emailIn(source['email'])
  if (!email)
    throw new SsoRefusal(
      'identity',
      `Neither sub ${told(userInfo['sub'])} nor email ${told(source['email'])} is an email address.`,
    )
  if (isFalse(source['email_verified']))
    throw new SsoRefusal('identity', `The provider says that ${email} is not verified.`)
  return email
}

/** Who it is by the public provider, whose word counts for verified addresses alone. */
export interface PublicIdentity {
  readonly email: string
  /** The domain whose accounts this is one of; undefined where nobody has said so. */
  readonly domain: string | undefined
}

/**
 * @throws SsoRefusal `identity` for an address that the provider does not vouch for
 */
export function publicIdentityOf(
  { userInfo, idToken }: Pick<Vouched, 'userInfo' | 'idToken'>,
  issuer: string,
): PublicIdentity {
  const source = sourceOfEmail(userInfo, idToken)
  const email = emailIn(source['email'])
  if (!email)
    throw new SsoRefusal('identity', `email ${told(source['email'])} is not an email address.`)
  if (source['email_verified'] !== true && source['email_verified'] !== 'true')
    throw new SsoRefusal('identity', `The provider does not say that ${email} is verified.`)
  const domain = email.slice(email.lastIndexOf('@') + 1)
  if (issuer !== googleIssuer) return { email, domain }
  // Anybody can have had a Google account with an address of somewhere else, long ago.
  const hosted = typeof source['hd'] === 'string' ? source['hd'].toLowerCase() : undefined
  if (hosted === domain) return { email, domain }
  if (domain === 'gmail.com') return { email, domain: undefined }
  throw new SsoRefusal(
    'identity',
    `${email} is no address of Gmail, and its account belongs to ${told(hosted)} (hd), not to its domain.`,
  )
}

/**
 * The claims of roles, `company_roles` and `team_roles`; those of userInfoUri first.
 * @throws SsoRefusal `claims`
 */
export function roleClaimsOf({
  userInfo,
  idToken,
}: Pick<Vouched, 'userInfo' | 'idToken'>): RoleClaims | undefined {
  try {
    return readTokenClaims({ ...idToken, ...userInfo })
  } catch (error) {
    if (error instanceof ClaimError) throw new SsoRefusal('claims', error.message)
    throw error
  }
}

/** Address and what is said about it must come from the same place. */
function sourceOfEmail(userInfo: Claims, idToken: Claims | undefined): Claims {
  return userInfo['email'] === undefined && idToken ? idToken : userInfo
}

/** What looks like another letter and becomes it in lower case is no address. */
function emailIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.normalize('NFKC') !== value || !isEmail(value))
    return undefined
  return emailKey(value)
}

function isFalse(value: unknown): boolean {
  return value === false || value === 'false'
}

function told(value: unknown): string {
  return value === undefined || typeof value === 'string' ? shown(value) : `(${typeof value})`
}
