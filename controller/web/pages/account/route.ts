import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'

const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('./layout.tsx'), 'AccountLayout'),
})
const part = { getParentRoute: () => accountRoute } as const

const index = createRoute({
  ...part,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/account/profile', replace: true })
  },
})
const profile = createRoute({
  ...part,
  path: '/profile',
  component: lazyRouteComponent(() => import('./profile.tsx'), 'ProfilePage'),
})
const factor = createRoute({
  ...part,
  path: '/second-factor',
  component: lazyRouteComponent(() => import('./second-factor.tsx'), 'SecondFactorPage'),
})
const sessions = createRoute({
  ...part,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./sessions.tsx'), 'SessionsPage'),
})
const keys = createRoute({
  ...part,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys.tsx'), 'KeysPage'),
})

/** Whoever is signed in. */
export const accountRoutes = accountRoute.addChildren([index, profile, factor, sessions, keys])
