import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'

export const newAttackRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/attacks/new',
  component: lazyRouteComponent(() => import('./page.tsx'), 'NewAttackPage'),
})
