import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'

export const teamRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/team',
  component: lazyRouteComponent(() => import('./page.tsx'), 'TeamHomePage'),
})
