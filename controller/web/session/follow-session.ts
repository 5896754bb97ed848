import type { App } from '../app-context.ts'
import type { createAppRouter } from '../router.tsx'
import { isBeforeSignIn } from './return-path.ts'

type AppRouter = ReturnType<typeof createAppRouter>

/** Leads to the sign-in page whenever the session ends, here or in another tab, and forgets what was loaded. */
export function followSession({ sessions, queryClient }: App, router: AppRouter): void {
  const leave = async () => {
    const { pathname, href } = router.state.location
    // Pages that ask for something without a session would only be refused: they go first.
    if (!isBeforeSignIn(pathname))
      await router.navigate({ to: '/sign-in', search: { return: href }, replace: true })
    if (!sessions.current()) queryClient.clear()
  }
  sessions.onChange(() => {
    if (sessions.current()) queryClient.clear()
    else void leave()
  })
}
