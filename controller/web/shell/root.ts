import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'
import type { App } from '../app-context.ts'

/** What all pages are below. */
export const rootRoute = createRootRouteWithContext<App>()({ component: Outlet })
