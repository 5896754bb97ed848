import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'

export const clientsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/clients',
  component: lazyRouteComponent(() => import('./page.tsx'), 'ClientsPage'),
})
