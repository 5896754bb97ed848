import type { AuthPreferences } from '../../shared/api/auth-preferences.ts'
import { ApiError } from '../../shared/api/errors.ts'
import type { SamlSettings, SignInSettings } from '../store/sign-in-settings.ts'
import type { Store } from '../store/store.ts'
import { allowsPasswords } from './methods.ts'

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
      throw wouldLockOut(now.preferences, next.preferences)
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

const needProvider = ['samlEnabled', 'samlForced', 'claimsRequired'] as const

function checkProvider(before: AuthPreferences, { preferences, saml }: SignInSettings): void {
  for (const field of needProvider)
    if (preferences[field] && !before[field] && !saml)
      throw new ApiError(
        'not_supported',
        `${field} cannot be true: the company has no SAML provider; set it with POST /companies/{id}/saml/props. Allowed: false. Nothing was changed.`,
        { details: { field, value: true, allowed: false } },
      )
}

/** Whether an owner is known to have a way in: passwords, or a provider with which one came in. */
function isOpen({ preferences, saml }: SignInSettings, owners: ReadonlySet<string>): boolean {
  if (allowsPasswords(preferences)) return true
  return preferences.samlEnabled && Boolean(saml?.proofs.some(({ userId }) => owners.has(userId)))
}

/** Where nobody is proven any more, because owners have changed, the way in must at least stay as it is. */
function changesProvider(before: SignInSettings, after: SignInSettings): boolean {
  return (
    before.preferences.samlEnabled !== after.preferences.samlEnabled ||
    before.saml?.version !== after.saml?.version
  )
}

function wouldLockOut(before: AuthPreferences, after: AuthPreferences): ApiError {
  const changed = (['passwordEnabled', 'samlForced', 'samlEnabled'] as const).find(
    (name) => before[name] !== after[name],
  )
  const field = changed ?? 'certificate'
  const value = changed && after[changed]
  return new ApiError(
    'would_lock_out',
    `${field} cannot be so${value === undefined ? '' : ` (${value})`}: no owner has signed in with the SAML provider as it would then be, so nobody could. Have an owner sign in with it first. Nothing was changed.`,
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
