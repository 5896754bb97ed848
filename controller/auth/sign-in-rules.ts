import type { AuthPreferences } from '../../shared/api/auth-preferences.ts'
import { ApiError } from '../../shared/api/errors.ts'
import type { SamlSettings, SignInSettings } from '../store/sign-in-settings.ts'
import type { Store } from '../store/store.ts'
import { allowsPasswords, allowsSso } from './methods.ts'

/**
 * Changes how people sign in to a company, so that some owner is always proven to have a way in.
 * @throws ApiError `not_supported`, `would_lock_out`, or what `edit` throws
 */
export async function changeSignIn(
  store: Store,
  companyId: string,
  edit: (now: SignInSettings) => SignInSettings,
): Promise<void> {
  const owners = await ownersOf(store, companyId)
  await store.signInSettings.change(companyId, (now) => {
    const next = edit(now)
    checkProvider(now.preferences, next)
    if (!isOpen(next, owners) && (isOpen(now, owners) || changesProvider(now, next)))
      throw wouldLockOut(now, next)
    return next
  })
}

async function ownersOf(store: Store, companyId: string): Promise<ReadonlySet<string>> {
  const all = await store.members.list(companyId)
  const owners = all.filter(
    ({ state, roles }) => state === 'ACTIVE' && roles.includes('COMPANY_OWNER'),
  )
  return new Set(owners.map(({ userId }) => userId))
}

/** What needs a provider, which of them, and how that is set. */
const needProvider = [
  ['samlEnabled', 'SAML provider', 'saml/props', ['saml']],
  ['samlForced', 'SAML provider', 'saml/props', ['saml']],
  ['oauthEnabled', 'OAuth provider', 'oauth/settings', ['oauth']],
  ['claimsRequired', 'provider', 'saml/props or oauth/settings', ['saml', 'oauth']],
] as const

function checkProvider(before: AuthPreferences, next: SignInSettings): void {
  for (const [field, what, where, kinds] of needProvider)
    if (next.preferences[field] && !before[field] && !kinds.some((kind) => next[kind]))
      throw new ApiError(
        'not_supported',
        `${field} cannot be true: the company has no ${what}; set it with POST /companies/{id}/${where}. Allowed: false. Nothing was changed.`,
        { details: { field, value: true, allowed: false } },
      )
}

/** Whether an owner is known to have a way in: passwords, or a provider with which one came in. */
function isOpen(
  { preferences, saml, oauth, publicProofs }: SignInSettings,
  owners: ReadonlySet<string>,
): boolean {
  if (allowsPasswords(preferences)) return true
  const areProven = (proofs: readonly { readonly userId: string }[] = []) =>
    proofs.some(({ userId }) => owners.has(userId))
  return (
    (allowsSso(preferences, 'saml') && areProven(saml?.proofs)) ||
    (allowsSso(preferences, 'oauth') && areProven(oauth?.proofs)) ||
    // It claims no roles.
    (allowsSso(preferences, 'google') && !preferences.claimsRequired && areProven(publicProofs))
  )
}

/** Where nobody is proven any more, because owners have changed, the way in must at least stay as it is. */
function changesProvider(before: SignInSettings, after: SignInSettings): boolean {
  return (
    before.preferences.samlEnabled !== after.preferences.samlEnabled ||
    before.preferences.oauthEnabled !== after.preferences.oauthEnabled ||
    before.preferences.googleEnabled !== after.preferences.googleEnabled ||
    before.saml?.version !== after.saml?.version ||
    before.oauth?.version !== after.oauth?.version
  )
}

const ways = [
  'passwordEnabled',
  'samlForced',
  'samlEnabled',
  'oauthEnabled',
  'googleEnabled',
  'claimsRequired',
] as const

function wouldLockOut(before: SignInSettings, after: SignInSettings): ApiError {
  const changed = ways.find((name) => before.preferences[name] !== after.preferences[name])
  const ofProvider = before.saml?.version === after.saml?.version ? 'clientId' : 'certificate'
  const field = changed ?? ofProvider
  const value = changed && after.preferences[changed]
  return new ApiError(
    'would_lock_out',
    `${field} cannot be so${value === undefined ? '' : ` (${value})`}: no owner has signed in with the provider as it would then be, so nobody could. Have an owner sign in with it first. Nothing was changed.`,
    { details: { field, ...(value === undefined ? {} : { value, allowed: !value }) } },
  )
}

/** Notes that a user came in with a provider, while its settings are still the same. */
export async function noteProof(
  store: Store,
  companyId: string,
  version: string,
  proof: SamlSettings['proofs'][number],
): Promise<void> {
  await store.signInSettings.change(companyId, (now) => {
    if (now.saml?.version !== version) return now
    const others = now.saml.proofs.filter(({ userId }) => userId !== proof.userId)
    return { ...now, saml: { ...now.saml, proofs: [...others, proof].slice(-20) } }
  })
}

/** The same of an OAuth provider. */
export async function noteOAuthProof(
  store: Store,
  companyId: string,
  version: string,
  userId: string,
): Promise<void> {
  await store.signInSettings.change(companyId, (now) => {
    if (now.oauth?.version !== version) return now
    const others = now.oauth.proofs.filter((one) => one.userId !== userId)
    return { ...now, oauth: { ...now.oauth, proofs: [...others, { userId }].slice(-20) } }
  })
}

/** The same of the public provider. */
export async function notePublicProof(
  store: Store,
  companyId: string,
  userId: string,
): Promise<void> {
  await store.signInSettings.change(companyId, (now) => {
    const others = (now.publicProofs ?? []).filter((one) => one.userId !== userId)
    return { ...now, publicProofs: [...others, { userId }].slice(-20) }
  })
}
