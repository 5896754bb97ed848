import type { setOAuthSettings } from '../../../shared/api/oauth.ts'
import type { BodyOf } from '../../../shared/api/route.ts'
import { changesOf } from '../../audit/changes.ts'
import type { AuditNote } from '../../audit/of-request.ts'
import type { Caller } from '../../auth/access.ts'
import { changeSignIn } from '../../auth/sign-in-rules.ts'
import type { EnterDeps } from '../../oauth/enter.ts'
import { toOAuthSettings } from '../../records/oauth.ts'
import { oauthSecretName } from '../../store/sign-in-settings.ts'
import { checkProvider, withOAuth, type ProviderRules } from './settings.ts'

export type OAuthServiceDeps = EnterDeps & ProviderRules

/**
 * Sets the provider of the caller's company.
 * @throws ApiError `invalid_body`, `would_lock_out`
 */
export async function setProvider(
  deps: OAuthServiceDeps,
  { company }: Caller,
  given: BodyOf<typeof setOAuthSettings>,
  audit: AuditNote,
): Promise<void> {
  const { store, seal } = deps
  const checked = await checkProvider(deps, given)
  const name = oauthSecretName(company.id)
  const secret = {
    sealed: seal.close(given.clientSecret, name),
    isAsBefore: (sealed: string) => seal.open(sealed, name) === given.clientSecret,
  }
  await changeSignIn(store, company.id, (now) => {
    const next = withOAuth(now, given, checked, secret)
    audit.detail(changesOf(toOAuthSettings(now) ?? {}, toOAuthSettings(next) ?? {}))
    return next
  })
}
