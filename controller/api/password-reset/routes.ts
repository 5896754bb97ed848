import { requestPasswordReset, resetPassword } from '../../../shared/api/password-reset.ts'
import { createPasswordReset, type PasswordResetDeps } from '../../auth/password-reset.ts'
import type { Router } from '../../plugins/routes.ts'

/** A new password without the old one, by a code that is mailed. */
export function addPasswordResetRoutes(router: Router, deps: PasswordResetDeps): void {
  const passwordReset = createPasswordReset(deps)
  router.add(requestPasswordReset, async ({ body, request }) => {
    await passwordReset.request({ email: body.email, address: request.ip })
    return 'Success' as const
  })
  router.add(resetPassword, async ({ body, request, audit }) => {
    audit.claim(body.email)
    await passwordReset.reset({ ...body, address: request.ip })
    return 'Success' as const
  })
}
