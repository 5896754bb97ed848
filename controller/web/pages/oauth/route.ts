import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root.ts'

export interface OAuthSearch {
  readonly OAuthSessionCode?: string | undefined
}

/** Where a sign-in with OAuth, or with the public provider, comes back to with a code that is good once. */
export const oauthRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/users/sso/oauth',
  validateSearch: ({ OAuthSessionCode: code }: Record<string, unknown>): OAuthSearch =>
    typeof code === 'string' ? { OAuthSessionCode: code } : {},
  component: lazyRouteComponent(() => import('./page.tsx'), 'OAuthPage'),
})
