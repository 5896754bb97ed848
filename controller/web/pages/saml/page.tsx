import { Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { openSamlSession } from '../../../../shared/api/saml.ts'
import { useApp } from '../../app-context.ts'
import { LinkButton } from '../../parts/link-button.tsx'
import { SignInFrame } from '../../parts/sign-in-frame.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { Loading } from '../../parts/loading.tsx'
import { useOneTimeCode } from '../../session/use-one-time-code.ts'

const page = getRouteApi('/users/sso/saml/acs')

/** Exchanges the code for a session and goes on to where the sign-in began. */
export function SamlPage() {
  const { api } = useApp()
  const { SamlSessionCode, destination } = page.useSearch()
  const { error } = useOneTimeCode(SamlSessionCode, destination, (code) =>
    api.anonymous.call(openSamlSession, { body: { code } }),
  )
  return (
    <SignInFrame title="Sign in with SAML">
      {error ? (
        <Stack gap="sm">
          <ErrorText error={error} />
          <LinkButton to="/sign-in">Sign in again</LinkButton>
        </Stack>
      ) : (
        <Loading what="your session" />
      )}
    </SignInFrame>
  )
}
