import { setAuthPreferences, setMfaPreferences } from '../../../shared/api/auth-preferences.ts'
import type { Router } from '../../plugins/routes.ts'
import { createAuthPreferencesService, type AuthPreferencesDeps } from './service.ts'

/** How people sign in to a company, and which keys there may be. */
export function addAuthPreferencesRoutes(router: Router, deps: AuthPreferencesDeps): void {
  const service = createAuthPreferencesService(deps)
  router.add(setAuthPreferences, async ({ caller, params, body, audit }) => {
    await service.change(caller, params.companyId, body, audit)
    return 'Success' as const
  })
  router.add(setMfaPreferences, async ({ caller, params, body, audit }) => {
    // An empty field of a form is one that was not filled in.
    const forceMfa = String(body.forceMfa ?? '').toLowerCase()
    const change = forceMfa === '' ? {} : { mfaRequired: forceMfa === 'true' }
    await service.change(caller, params.companyId, change, audit)
    return 'Success' as const
  })
}
