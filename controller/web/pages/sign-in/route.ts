import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { safeReturn } from '../../session/return-path.ts'
import { rootRoute } from '../../shell/root.ts'

export interface SignInSearch {
  /** The path that the sign-in leads to. */
  readonly return?: string | undefined
}

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): SignInSearch =>
    typeof search['return'] === 'string' ? { return: search['return'] } : {},
  beforeLoad: async ({ context: { sessions }, search }) => {
    await sessions.join()
    if (sessions.current()) throw redirect({ href: safeReturn(search.return), replace: true })
  },
  component: lazyRouteComponent(() => import('./page.tsx'), 'SignInPage'),
})
