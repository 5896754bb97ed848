import type { MfaSecret } from '../../shared/api/mfa.ts'
import { request, type RequestOptions } from '../support/http.ts'
import { codeOf } from '../support/mfa.ts'
import { addUser } from '../support/people.ts'
import type { Service } from '../support/service.ts'

const password = 'correct horse battery staple'

/** Somebody who has a second factor once the walk has signed in with one. */
export const withSecondFactor = { email: 'signInWithCode@example.com', password }

/** What each operation of second factors succeeds with, for a user made for it; undefined for other operations. */
export async function withSecondFactorFor(
  service: Service,
  operationId: string,
): Promise<RequestOptions | undefined> {
  if (!/^(enable|validate|disable|forceDisable)Mfa$|^signInWithCode$/.test(operationId))
    return undefined
  const email = `${operationId}@example.com`
  await addUser(service, email, { company: service.local.company.name })
  const post = (path: string, form: Record<string, string>) =>
    request(service.baseUrl, 'POST', `/v1/users/auth/mfa/${path}`, { form })
  if (operationId === 'enableMfa') return { form: { email, password } }
  const { secretKey } = (await post('enable', { email, password })).json as MfaSecret
  const first = { email, token: codeOf(secretKey) }
  if (operationId === 'validateMfa') return { form: first }
  await post('validate', first)
  return { form: { email, password, token: codeOf(secretKey, 1) } }
}
