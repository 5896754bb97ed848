import {
  createRoute,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { selfQuery } from '../api/self.ts'
import { rootRoute } from './root.ts'

/** What the addresses of all pages behind the sign-in may say. */
export interface ShellSearch {
  /** The id of the team that is looked at. */
  readonly team?: string | undefined
}

/** The frame of all pages behind the sign-in: who has no session is sent there and comes back. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  validateSearch: (search: Record<string, unknown>): ShellSearch =>
    typeof search['team'] === 'string' ? { team: search['team'] } : {},
  search: { middlewares: [retainSearchParams(['team'])] },
  beforeLoad: async ({ context: { sessions }, location }) => {
    await sessions.join()
    if (sessions.current()) return
    throw redirect({ to: '/sign-in', search: { return: location.href }, replace: true })
  },
  loader: async ({ context: { api, queryClient, sessions }, location }) => {
    try {
      return await queryClient.ensureQueryData(selfQuery(api))
    } catch (error) {
      if (sessions.current()) throw error
      throw redirect({ to: '/sign-in', search: { return: location.href }, replace: true })
    }
  },
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
})
