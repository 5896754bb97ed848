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
  /** Whether a provider vouched for somebody in it. */
  isProven?: boolean
}

/**
 * Does a step of a sign-in; when it is refused, the admins of the company can read why, and nobody else can.
 * @throws ApiError `sso_refused`
 */
export async function traced<T>(
  store: Store,
  trace: Trace,
  visit: Visit,
  work: () => Promise<T>,
  note?: AuditNote,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error
    if (trace.company) await keep(store, trace.company, trace, error, visit)
    if (note) await tellAudit(store, trace, note)
    throw ssoRefused(error.check)
  }
}

async function keep(
  store: Store,
  company: Company,
  { method, email, issuer }: Trace,
  { check, message: reason }: SsoRefusal,
  { address, requestId }: Visit,
): Promise<void> {
  await store.signInFailures.add(company.id, {
    time: timestamp(Date.now()),
    method,
    check,
    reason,
    email: short(email),
    issuer: short(issuer),
    in_response_to: null,
    from: address,
    request_id: requestId,
  })
}

/** What anybody can cause is not kept for as long as the audit is, when it comes often. */
async function tellAudit(
  store: Store,
  { company, email = '', isProven = false }: Trace,
  note: AuditNote,
): Promise<void> {
  const named = company === noCompany ? undefined : company
  if (!isProven && !(await store.signInFailures.mayTell(named?.id))) return
  note.claim(email, named?.id)
  if (named) note.entered([named.id])
}
