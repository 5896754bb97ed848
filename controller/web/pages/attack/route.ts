import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'

export const attackRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/attacks/$id',
  component: lazyRouteComponent(() => import('./page.tsx'), 'AttackPage'),
})
