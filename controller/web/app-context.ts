import type { QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { WebApi } from './api/create-api.ts'
import type { SessionStore } from './session/session-store.ts'

/** What every page is given. */
export interface App {
  readonly api: WebApi
  readonly sessions: SessionStore
  readonly queryClient: QueryClient
}

export const AppContext = createContext<App | undefined>(undefined)

/** The API, the session and the cache of this tab. */
export function useApp(): App {
  const app = useContext(AppContext)
  if (!app) throw new Error('There is no AppContext around this.')
  return app
}
