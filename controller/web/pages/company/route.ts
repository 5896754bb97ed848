import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { shellRoute } from '../../shell/route.ts'
import { readAuditFilters } from './audit-filters.ts'
import { readUserFilters } from './user-filters.ts'

const companyRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/company',
  component: lazyRouteComponent(() => import('./layout.tsx'), 'CompanyLayout'),
})
const part = { getParentRoute: () => companyRoute } as const

const index = createRoute({
  ...part,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/company/users', replace: true })
  },
})
const users = createRoute({
  ...part,
  path: '/users',
  validateSearch: readUserFilters,
  component: lazyRouteComponent(() => import('./users/page.tsx'), 'UsersPage'),
})
const user = createRoute({
  ...part,
  path: '/users/$email',
  component: lazyRouteComponent(() => import('./user/page.tsx'), 'UserPage'),
})
const teams = createRoute({
  ...part,
  path: '/teams',
  component: lazyRouteComponent(() => import('./teams/page.tsx'), 'TeamsPage'),
})
const team = createRoute({
  ...part,
  path: '/teams/$id',
  component: lazyRouteComponent(() => import('./teams/team-page.tsx'), 'CompanyTeamPage'),
})
const settings = createRoute({
  ...part,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/page.tsx'), 'CompanySettingsPage'),
})

/** The test of a provider that the browser comes back from. */
const readTestId = ({ ssoTest }: Record<string, unknown>): { readonly ssoTest?: string } =>
  typeof ssoTest === 'string' ? { ssoTest } : {}
const security = createRoute({
  ...part,
  path: '/security',
  validateSearch: readTestId,
  component: lazyRouteComponent(() => import('./security/page.tsx'), 'SecurityPage'),
})
const saml = createRoute({
  ...part,
  path: '/saml',
  validateSearch: readTestId,
  component: lazyRouteComponent(() => import('./sso/saml-page.tsx'), 'SamlPage'),
})
const oauth = createRoute({
  ...part,
  path: '/oauth',
  validateSearch: readTestId,
  component: lazyRouteComponent(() => import('./sso/oauth-page.tsx'), 'OAuthPage'),
})
const signIns = createRoute({
  ...part,
  path: '/sign-ins',
  validateSearch: ({ email }: Record<string, unknown>): { readonly email?: string } =>
    typeof email === 'string' && email !== '' ? { email: email.slice(0, 254) } : {},
  component: lazyRouteComponent(() => import('./sso/failures-page.tsx'), 'FailuresPage'),
})
const audit = createRoute({
  ...part,
  path: '/audit',
  validateSearch: readAuditFilters,
  component: lazyRouteComponent(() => import('./audit/page.tsx'), 'AuditPage'),
})

/** The company of the session. */
export const companyRoutes = companyRoute.addChildren([
  index,
  users,
  user,
  teams,
  team,
  settings,
  security,
  saml,
  oauth,
  signIns,
  audit,
])
