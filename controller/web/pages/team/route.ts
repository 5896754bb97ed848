import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'

const teamRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/team',
  component: lazyRouteComponent(() => import('./layout.tsx'), 'TeamLayout'),
})
const part = { getParentRoute: () => teamRoute } as const

const index = createRoute({
  ...part,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/team/members', replace: true })
  },
})
const members = createRoute({
  ...part,
  path: '/members',
  component: lazyRouteComponent(() => import('./pages.tsx'), 'MembersPage'),
})
const joining = createRoute({
  ...part,
  path: '/hosts',
  component: lazyRouteComponent(() => import('./pages.tsx'), 'JoiningPage'),
})
const keys = createRoute({
  ...part,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages.tsx'), 'TeamKeysPage'),
})
const settings = createRoute({
  ...part,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages.tsx'), 'TeamSettingsPage'),
})

/** The team that is looked at. */
export const teamRoutes = teamRoute.addChildren([index, members, joining, keys, settings])
