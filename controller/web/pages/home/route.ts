import { createRoute, redirect } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'

/** The first page is that of the attacks. */
export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/attacks', replace: true })
  },
})
