import { Outlet } from '@tanstack/react-router'
import { PageTabs } from '../../parts/page-tabs.tsx'
import { TeamPage } from '../../shell/me.tsx'

/** The team that is looked at. */
export function TeamLayout() {
  return (
    <>
      <PageTabs
        title="Team"
        tabs={[
          ['/team/members', 'Members'],
          ['/team/hosts', 'Joining hosts'],
          ['/team/keys', 'API keys'],
          ['/team/settings', 'Settings'],
        ]}
      />
      <TeamPage>{() => <Outlet />}</TeamPage>
    </>
  )
}
