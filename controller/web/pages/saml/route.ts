import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root.ts'

export interface SamlSearch {
  readonly SamlSessionCode?: string | undefined
  readonly destination?: string | undefined
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Where a SAML sign-in comes back to, with a code that is good once. */
export const samlRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/users/sso/saml/acs',
  validateSearch: ({ SamlSessionCode, destination }: Record<string, unknown>): SamlSearch => ({
    SamlSessionCode: text(SamlSessionCode),
    destination: text(destination),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'SamlPage'),
})
