import type { App } from '../app-context.ts'
import type { createAppRouter } from '../router.tsx'

type AppRouter = ReturnType<typeof createAppRouter>

/** Leads to the sign-in page whenever the session ends, here or in another tab, and forgets what was loaded. */
export function followSession({ sessions, queryClient }: App, router: AppRouter): void {
  sessions.onChange(() => {
    if (sessions.current()) return
    queryClient.clear()
    const { pathname, href } = router.state.location
    if (pathname === '/sign-in' || pathname.startsWith('/users/sso/')) return
    void router.navigate({ to: '/sign-in', search: { return: href }, replace: true })
  })
}
