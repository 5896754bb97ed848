import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'

export const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('./page.tsx'), 'AccountPage'),
})
