import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'

/** With what the form is filled at first. */
export interface Filling {
  /** The id of an attack to run again. */
  readonly from?: string | undefined
  readonly type?: string | undefined
  readonly host?: string | undefined
  /** The id of a container. */
  readonly container?: string | undefined
}

export const newAttackRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/attacks/new',
  validateSearch: readFilling,
  component: lazyRouteComponent(() => import('./page.tsx'), 'NewAttackPage'),
})

function readFilling(search: Record<string, unknown>): Filling {
  return Object.fromEntries(
    ['from', 'type', 'host', 'container'].flatMap((name) => {
      const value = search[name]
      // The router reads a text of digits as a number.
      return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : []
    }),
  )
}
