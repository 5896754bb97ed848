import { getRouteApi } from '@tanstack/react-router'
import { openSamlSession } from '../../../../shared/api/saml.ts'
import { useApp } from '../../app-context.ts'
import { CodeExchange } from '../../parts/code-exchange.tsx'
import { useOneTimeCode } from '../../session/use-one-time-code.ts'

const page = getRouteApi('/users/sso/saml/acs')

/** Exchanges the code for a session and goes on to where the sign-in began. */
export function SamlPage() {
  const { api } = useApp()
  const { SamlSessionCode, destination } = page.useSearch()
  const { error } = useOneTimeCode(SamlSessionCode, destination, (code) =>
    api.anonymous.call(openSamlSession, { body: { code } }),
  )
  return <CodeExchange title="Sign in with SAML" error={error} />
}
