import { timestamp } from '../../shared/api/timestamp.ts'
import type { AuditNote } from '../audit/of-request.ts'
import { SsoRefusal, ssoRefused, traced as short } from '../auth/sso-refusal.ts'
import type { Company } from '../store/companies.ts'
import type { OAuthMethod } from '../store/oauth.ts'
import type { Store } from '../store/store.ts'

/** From where a request comes. */
export interface Visit {
  readonly address: string
  readonly requestId: string
}

/** In place of a company that there is not: what is done for it takes as long, and comes to nothing. */
export const noCompany: Company = { id: 'nobody', name: '' }

/** What is known of a sign-in so far, for the trace of a refusal. Proven by nothing. */
export interface Trace {
  method: OAuthMethod
  company?: Company | undefined
  email?: string | undefined
  issuer?: string | undefined
}

/**
 * Does a step of a sign-in; when it is refused, the admins of the company can read why, and nobody else can.
 * @throws ApiError `sso_refused`
 */
export async function traced<T>(
  store: Store,
  trace: Trace,
  { address, requestId }: Visit,
  work: () => Promise<T>,
  note?: AuditNote,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error
    const isThere = trace.company !== noCompany
    note?.claim(trace.email ?? '', isThere ? trace.company?.id : undefined)
    if (trace.company) {
      if (isThere) note?.entered([trace.company.id])
      await store.signInFailures.add(trace.company.id, {
        time: timestamp(Date.now()),
        method: trace.method,
        check: error.check,
        reason: error.message,
        email: short(trace.email),
        issuer: short(trace.issuer),
        in_response_to: null,
        from: address,
        request_id: requestId,
      })
    }
    throw ssoRefused(error.check)
  }
}
