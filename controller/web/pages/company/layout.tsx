import { Outlet } from '@tanstack/react-router'
import { PageTabs } from '../../parts/page-tabs.tsx'
import { useMe } from '../../shell/me.tsx'

const security = [
  ['/company/security', 'Security'],
  ['/company/saml', 'SAML'],
  ['/company/oauth', 'OAuth'],
  ['/company/sign-ins', 'Sign-ins'],
] as const

/** The company of the session. */
export function CompanyLayout() {
  const { can } = useMe()
  return (
    <>
      <PageTabs
        title="Company"
        tabs={[
          ['/company/users', 'Users'],
          ['/company/teams', 'Teams'],
          ['/company/settings', 'Settings'],
          ...(can('COMPANY_SECURITY_READ') ? security : []),
          ...(can('SECURITY_REPORTS_READ') ? [['/company/audit', 'Audit'] as const] : []),
        ]}
      />
      <Outlet />
    </>
  )
}
