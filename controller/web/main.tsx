import '@mantine/core/styles.css'
import './style.css'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createWebApi } from './api/create-api.ts'
import { isPassing } from './api/error-words.ts'
import { AppContext, type App } from './app-context.ts'
import { createAppRouter } from './router.tsx'
import { openSessionStore } from './session/session-store.ts'
import { followSession } from './session/follow-session.ts'
import { cssVariables, theme } from './theme.ts'

/** The nonce with which the policy of this page lets styles in. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
// Where libraries of Mantine look for it.
Object.assign(globalThis, { __webpack_nonce__: nonce })

const sessions = openSessionStore()
const app: App = {
  sessions,
  api: createWebApi(sessions),
  queryClient: new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 3 && isPassing(error),
        staleTime: 10_000,
      },
      mutations: { retry: false },
    },
  }),
}
const router = createAppRouter(app)
followSession(app, router)

const place = document.getElementById('app')
if (place)
  createRoot(place).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <AppContext value={app}>
          <QueryClientProvider client={app.queryClient}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </AppContext>
      </MantineProvider>
    </StrictMode>,
  )
