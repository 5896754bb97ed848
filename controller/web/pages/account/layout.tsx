import { Outlet } from '@tanstack/react-router'
import { PageTabs } from '../../parts/page-tabs.tsx'
import { useMe } from '../../shell/me.tsx'

/** Whoever is signed in. */
export function AccountLayout() {
  const { can } = useMe()
  return (
    <>
      <PageTabs
        title="Account"
        tabs={[
          ['/account/profile', 'Profile'],
          ['/account/second-factor', 'Second factor'],
          ['/account/sessions', 'Sessions'],
          ...(can('API_KEYS_READ') ? [['/account/keys', 'API keys'] as const] : []),
        ]}
      />
      <Outlet />
    </>
  )
}
