import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { companyQuery } from '../../../api/company.ts'
import { useApp } from '../../../app-context.ts'
import { Allowed } from '../../../parts/allowed.tsx'
import { Asked } from '../../../parts/asked.tsx'
import { SectionTitle } from '../../../parts/section-title.tsx'
import { useMe } from '../../../shell/me.tsx'
import { TestSignIn } from '../sso/test-sign-in.tsx'
import { DomainsCard } from './domains-card.tsx'
import { PreferencesForm } from './preferences-form.tsx'

const page = getRouteApi('/shell/company/security')

/** How people sign in to the company, how long that lasts, and which keys there may be. */
export function SecurityPage() {
  const { api } = useApp()
  const { ssoTest } = page.useSearch()
  const company = useQuery(companyQuery(api, useMe().self.company_id))
  return (
    <Stack gap="md">
      <SectionTitle of="Company" title="Authentication preferences" />
      <Allowed privilege="COMPANY_SECURITY_READ">
        <Asked query={company} what="the preferences">
          {({ identifier, authMethodPrefs, domains }) => (
            <>
              <PreferencesForm
                // What was saved is what the next change starts from.
                key={JSON.stringify(authMethodPrefs)}
                companyId={identifier}
                present={authMethodPrefs}
              />
              <DomainsCard key={domains.join()} companyId={identifier} present={domains} />
              <TestSignIn
                protocol="google"
                title="Try the public provider"
                isSet
                testId={ssoTest}
              />
            </>
          )}
        </Asked>
      </Allowed>
    </Stack>
  )
}
