import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'
import { readFilters } from './filters.ts'

export const attacksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/attacks',
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import('./page.tsx'), 'AttacksPage'),
})
