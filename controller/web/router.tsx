import { createRouter, type ErrorComponentProps } from '@tanstack/react-router'
import type { App } from './app-context.ts'
import { accountRoutes } from './pages/account/route.ts'
import { attackRoute } from './pages/attack/route.ts'
import { attacksRoute } from './pages/attacks/route.ts'
import { clientRoute } from './pages/client/route.ts'
import { clientsRoute } from './pages/clients/route.ts'
import { companyRoutes } from './pages/company/route.ts'
import { homeRoute } from './pages/home/route.ts'
import { invitationRoute } from './pages/invitation/route.ts'
import { newAttackRoute } from './pages/new-attack/route.ts'
import { oauthRoute } from './pages/oauth/route.ts'
import { forgotPasswordRoute, passwordResetRoute } from './pages/password/route.ts'
import { samlRoute } from './pages/saml/route.ts'
import { signInRoute } from './pages/sign-in/route.ts'
import { teamRoutes } from './pages/team/route.ts'
import { ErrorPage } from './parts/error-page.tsx'
import { NotFoundPage } from './parts/not-found-page.tsx'
import { rootRoute } from './shell/root.ts'
import { shellRoute } from './shell/route.ts'

/** All pages. A new one is a folder below pages/ and a line here. */
const routes = rootRoute.addChildren([
  signInRoute,
  samlRoute,
  oauthRoute,
  invitationRoute,
  forgotPasswordRoute,
  passwordResetRoute,
  shellRoute.addChildren([
    homeRoute,
    attacksRoute,
    attackRoute,
    newAttackRoute,
    clientsRoute,
    clientRoute,
    teamRoutes,
    companyRoutes,
    accountRoutes,
  ]),
])

/** Makes the router of a tab. */
export function createAppRouter(app: App) {
  return createRouter({
    routeTree: routes,
    context: app,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    // Below a page that is there as well: never one frame in another.
    notFoundMode: 'root',
    defaultNotFoundComponent: NotFoundPage,
    defaultErrorComponent: ({ error, reset }: ErrorComponentProps) => (
      <ErrorPage error={error} retry={reset} />
    ),
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
