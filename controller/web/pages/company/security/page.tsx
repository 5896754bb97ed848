import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { companyQuery } from '../../../api/company.ts'
import { useApp } from '../../../app-context.ts'
import { Allowed } from '../../../parts/allowed.tsx'
import { Asked } from '../../../parts/asked.tsx'
import { SectionTitle } from '../../../parts/section-title.tsx'
import { useMe } from '../../../shell/me.tsx'
import { PreferencesForm } from './preferences-form.tsx'

/** How people sign in to the company, how long that lasts, and which keys there may be. */
export function SecurityPage() {
  const { api } = useApp()
  const company = useQuery(companyQuery(api, useMe().self.company_id))
  return (
    <Stack gap="md">
      <SectionTitle of="Company" title="Authentication preferences" />
      <Allowed privilege="COMPANY_SECURITY_READ">
        <Asked query={company} what="the preferences">
          {({ identifier, authMethodPrefs }) => (
            <PreferencesForm
              // What was saved is what the next change starts from.
              key={JSON.stringify(authMethodPrefs)}
              companyId={identifier}
              present={authMethodPrefs}
            />
          )}
        </Asked>
      </Allowed>
    </Stack>
  )
}
