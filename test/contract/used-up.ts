import type { Api } from '../support/api.ts'
import type { RequestOptions } from '../support/http.ts'
import type { Service } from '../support/service.ts'
import { walkedUser } from './documented.ts'

/** What is good once, so that it is made for the request that uses it up. */

/** The form that renews a session. */
export function renewalOf({ session }: Api): RequestOptions {
  return {
    form: {
      email: session.identifier,
      companyId: session.company_id,
      orgId: session.org_id,
      renewToken: session.renew_token,
    },
  }
}

/** The body that accepts an invitation. */
export async function acceptanceBy(owner: Api): Promise<RequestOptions> {
  const email = 'joiner@example.com'
  const made = await owner.send('POST', '/users/invite', { form: { email } })
  const { accept_url: link } = made.json as { accept_url: string }
  const code = new URLSearchParams(new URL(link).hash.slice(1)).get('code')
  return { json: { email, code, password: 'a password of theirs' } }
}

/** Sets a new password for somebody; the code is made on the host of the controller. */
export async function resetBy(service: Service): Promise<RequestOptions> {
  const { link } = await service.admin<{ link: string }>(['user', 'reset-password', walkedUser])
  const code = new URLSearchParams(new URL(link).hash.slice(1)).get('code')
  return { json: { email: walkedUser, code, password: 'a password of theirs' } }
}
