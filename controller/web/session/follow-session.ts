import type { App } from '../app-context.ts'
import type { createAppRouter } from '../router.tsx'
import { isBeforeSignIn } from './return-path.ts'

type AppRouter = ReturnType<typeof createAppRouter>

/**
 * Leads to the sign-in page whenever the session ends, here or in another tab, and forgets what was loaded. Leads on
 * from there when it begins, also by another tab that told of it when nobody waited for that any more.
 */
export function followSession({ sessions, queryClient }: App, router: AppRouter): void {
  const leave = async () => {
    const { pathname, href } = router.state.location
    // Pages that ask for something without a session would only be refused: they go first.
    if (!isBeforeSignIn(pathname))
      await router.navigate({ to: '/sign-in', search: { return: href }, replace: true })
    if (!sessions.current()) queryClient.clear()
  }
  sessions.onChange(() => {
    if (!sessions.current()) {
      void leave()
      return
    }
    queryClient.clear()
    // Its route says where to.
    if (router.state.location.pathname === '/sign-in') void router.invalidate()
  })
}
