import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { companyQuery } from '../../../api/company.ts'
import { ssoSetupQuery } from '../../../api/sso.ts'
import { useApp } from '../../../app-context.ts'
import { Allowed } from '../../../parts/allowed.tsx'
import { Asked } from '../../../parts/asked.tsx'
import { SectionTitle } from '../../../parts/section-title.tsx'
import { useMe } from '../../../shell/me.tsx'
import { ClaimsTable } from './claims-table.tsx'
import { CopyCard } from './copy-card.tsx'
import { OAuthForm } from './oauth-form.tsx'
import { TestSignIn } from './test-sign-in.tsx'

const page = getRouteApi('/shell/company/oauth')

/** The OAuth provider of the company: what it is told, what it tells, and a try. */
export function OAuthPage() {
  const { api } = useApp()
  const { self } = useMe()
  const { ssoTest } = page.useSearch()
  const company = useQuery(companyQuery(api, self.company_id))
  const setup = useQuery(ssoSetupQuery(api, self.company_id))
  return (
    <Stack gap="md">
      <SectionTitle of="Company" title="OAuth" />
      <Allowed privilege="COMPANY_SECURITY_READ">
        <Asked query={setup} what="the fields">
          {({ oauth }) => (
            <CopyCard
              title="What the provider wants to know"
              fields={[
                ['Redirect address', oauth.redirectUri],
                ['Sign-ins of this company begin at', oauth.loginUrl],
                ['Grant', `${oauth.grantType}, with PKCE (${oauth.codeChallengeMethod})`],
              ]}
            >
              <ClaimsTable claims={oauth.claims} />
            </CopyCard>
          )}
        </Asked>
        <Asked query={company} what="the provider">
          {({ identifier, oauthSettings }) => (
            <>
              <OAuthForm
                key={JSON.stringify(oauthSettings)}
                companyId={identifier}
                present={oauthSettings}
              />
              <TestSignIn protocol="oauth" isSet={oauthSettings !== null} testId={ssoTest} />
            </>
          )}
        </Asked>
      </Allowed>
    </Stack>
  )
}
