import type {
  AuthPreferences,
  AuthPreferencesChange,
} from '../../../shared/api/auth-preferences.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import { changesOf } from '../../audit/changes.ts'
import type { AuditNote } from '../../audit/of-request.ts'
import type { Caller } from '../../auth/access.ts'
import { changeSignIn } from '../../auth/sign-in-rules.ts'
import { companyNotFound } from '../../records/not-found.ts'
import type { Store } from '../../store/store.ts'

/** How people sign in to the caller's company. */
export interface AuthPreferencesService {
  /** What is not given stays. @throws ApiError `company_not_found`, `not_supported`, `would_lock_out` */
  change(
    caller: Caller,
    companyId: string,
    given: AuthPreferencesChange,
    audit: AuditNote,
  ): Promise<void>
}

export interface AuthPreferencesDeps {
  readonly store: Store
  /** Undefined where none is set up. */
  readonly publicProvider: object | undefined
}

/** Makes the service of authentication preferences. */
export function createAuthPreferencesService({
  store,
  publicProvider,
}: AuthPreferencesDeps): AuthPreferencesService {
  return {
    async change(caller, companyId, given, audit) {
      if (caller.company.id !== companyId) throw companyNotFound(companyId)
      await changeSignIn(store, companyId, (now) => {
        const preferences = changed(now.preferences, given, publicProvider !== undefined)
        audit.detail(changesOf(now.preferences, preferences))
        return { ...now, preferences }
      })
    },
  }
}

function changed(
  now: AuthPreferences,
  given: AuthPreferencesChange,
  hasPublicProvider: boolean,
): AuthPreferences {
  if (given.googleEnabled === true && !hasPublicProvider)
    throw new ApiError(
      'not_supported',
      'googleEnabled cannot be true: this service has no public identity provider (TEMBLOR_OIDC_CLIENT_ID). Allowed: false. Nothing was changed.',
      { details: { field: 'googleEnabled', value: true, allowed: false } },
    )
  const known = Object.entries(given).filter(
    ([name, value]) => Object.hasOwn(now, name) && value !== null,
  )
  return { ...now, ...(Object.fromEntries(known) as Partial<AuthPreferences>) }
}
