import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { SsoSetup } from '../../../../../shared/api/sso.ts'
import { companyQuery } from '../../../api/company.ts'
import { ssoSetupQuery } from '../../../api/sso.ts'
import { useApp } from '../../../app-context.ts'
import { Allowed } from '../../../parts/allowed.tsx'
import { Asked } from '../../../parts/asked.tsx'
import { SectionTitle } from '../../../parts/section-title.tsx'
import { useMe } from '../../../shell/me.tsx'
import { AliasCard } from './alias-card.tsx'
import { ClaimsTable } from './claims-table.tsx'
import { CopyCard } from './copy-card.tsx'
import { SamlForm } from './saml-form.tsx'
import { TestSignIn } from './test-sign-in.tsx'

const page = getRouteApi('/shell/company/saml')

/** The SAML identity provider of the company: what it is told, what it tells, and a try. */
export function SamlPage() {
  const { api } = useApp()
  const { self, can } = useMe()
  const { ssoTest } = page.useSearch()
  const company = useQuery(companyQuery(api, self.company_id))
  const setup = useQuery(ssoSetupQuery(api, self.company_id))
  return (
    <Stack gap="md">
      <SectionTitle of="Company" title="SAML" />
      <Allowed privilege="COMPANY_SECURITY_READ">
        <Asked query={setup} what="the fields">
          {({ saml }) => (
            <CopyCard title="What the identity provider wants to know" fields={fieldsOf(saml)}>
              <ClaimsTable claims={saml.attributes} />
            </CopyCard>
          )}
        </Asked>
        <Asked query={company} what="the provider">
          {({ identifier, samlIdpPrefs }) => (
            <>
              <SamlForm
                key={JSON.stringify(samlIdpPrefs)}
                companyId={identifier}
                present={samlIdpPrefs}
              />
              <TestSignIn protocol="saml" isSet={samlIdpPrefs !== null} testId={ssoTest} />
            </>
          )}
        </Asked>
        {can('COMPANY_SAMLCLAIM_ALIAS_READ') && <AliasCard />}
      </Allowed>
    </Stack>
  )
}

function fieldsOf(saml: SsoSetup['saml']): (readonly [string, string])[] {
  return [
    ['Metadata, for providers that import them', saml.metadataUrl],
    ['Entity id, audience', saml.entityId],
    ['Assertion consumer service', saml.acsUrl],
    ['RelayState, where the provider begins', saml.relayState],
    ['NameID format', saml.nameIdFormat],
    ['Sign-ins of this company begin at', saml.loginUrl],
  ]
}
