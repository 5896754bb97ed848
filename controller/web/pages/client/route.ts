import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'

/** One host. Its name is no part of the path: there, some names would lead elsewhere. */
export const clientRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/clients/host',
  validateSearch: ({ id }: Record<string, unknown>): { readonly id?: string } =>
    // The router reads a text of digits as a number.
    typeof id === 'string' || typeof id === 'number' ? { id: String(id) } : {},
  component: lazyRouteComponent(() => import('./page.tsx'), 'ClientPage'),
})
