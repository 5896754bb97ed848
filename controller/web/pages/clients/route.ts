import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'
import { readFilters } from './filters.ts'

export const clientsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/clients',
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import('./page.tsx'), 'ClientsPage'),
})
