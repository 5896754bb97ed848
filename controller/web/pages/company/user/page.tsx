import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { User } from '../../../../../shared/api/users.ts'
import { companyUsersQuery } from '../../../api/company.ts'
import { useApp } from '../../../app-context.ts'
import { Allowed } from '../../../parts/allowed.tsx'
import { Asked } from '../../../parts/asked.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { LinkText } from '../../../parts/link-button.tsx'
import { SectionTitle } from '../../../parts/section-title.tsx'
import { useMe } from '../../../shell/me.tsx'
import { CompanyRolesCard } from './company-roles-card.tsx'
import { FactorCard } from './factor-card.tsx'
import { InvitedCard } from './invited-card.tsx'
import { UserAccessCard } from './user-access-card.tsx'
import { UserFacts } from './user-facts.tsx'
import { UserKeysCard } from './user-keys-card.tsx'
import { UserTeamsCard } from './user-teams-card.tsx'

const page = getRouteApi('/shell/company/users/$email')

/** Somebody in the company, and what may be changed about them. */
export function UserPage() {
  const { api } = useApp()
  const { self, can } = useMe()
  const { email } = page.useParams()
  const users = useQuery({
    ...companyUsersQuery(api, self.company_id),
    enabled: can('COMPANY_USERS_READ'),
  })
  return (
    <Stack gap="md">
      <LinkText to="/company/users" size="sm">
        All users
      </LinkText>
      <Allowed privilege="COMPANY_USERS_READ">
        <Asked query={users} what="the people">
          {(all) => <Found user={all.find(({ identifier }) => identifier === email)} />}
        </Asked>
      </Allowed>
    </Stack>
  )
}

function Found({ user }: { readonly user: User | undefined }) {
  const { can } = useMe()
  if (!user)
    return (
      <>
        <SectionTitle of="Company" title="User" />
        <EmptyState title="Nobody here has this address">
          An invitation that has expired or was withdrawn is not listed any more.
        </EmptyState>
      </>
    )
  return (
    <>
      <SectionTitle of="Company" title="User" />
      <UserFacts user={user} />
      {user.state === 'INVITED' ? (
        <InvitedCard user={user} />
      ) : (
        <>
          <CompanyRolesCard key={user.updated_at} user={user} />
          <UserTeamsCard user={user} />
          {can('SECURITY_REPORTS_READ') && <FactorCard user={user} />}
          {can('ALL_API_KEYS_READ') && <UserKeysCard user={user} />}
          <UserAccessCard user={user} />
        </>
      )}
    </>
  )
}
