import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'

export const companyRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/company',
  component: lazyRouteComponent(() => import('./page.tsx'), 'CompanyPage'),
})
