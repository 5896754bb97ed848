import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root.ts'

/** Who has forgotten the password asks for a mail here. */
export const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./forgot-page.tsx'), 'ForgotPasswordPage'),
})

/** Where the link of that mail leads, with its code behind the #. */
export const passwordResetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/password-reset',
  component: lazyRouteComponent(() => import('./reset-page.tsx'), 'PasswordResetPage'),
})
