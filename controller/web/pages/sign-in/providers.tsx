import { Button, Divider, Stack } from '@mantine/core'
import { keepDestination } from '../../session/kept-destination.ts'
import type { SignInMethods } from '../../../../shared/api/sign-in-methods.ts'

interface ProvidersProps {
  readonly methods: SignInMethods
  readonly companyName: string
  readonly destination: string
}

function oauthAddress(companyName: string, provider: 'oauth' | 'google'): string {
  const redirectUri = `${location.origin}/users/sso/oauth`
  return `/v1/oauth/login?${new URLSearchParams({ companyName, provider, redirectUri }).toString()}`
}

/** The providers of identities that the company has. */
export function Providers({ methods, companyName, destination }: ProvidersProps) {
  const query = new URLSearchParams({ companyName, destination }).toString()
  const all = [
    { is: methods.saml, label: 'Sign in with SAML', href: `/v1/users/auth/saml/login?${query}` },
    { is: methods.oauth, label: 'Sign in with OAuth', href: oauthAddress(companyName, 'oauth') },
    { is: methods.google, label: 'Sign in with Google', href: oauthAddress(companyName, 'google') },
  ].filter(({ is }) => is)
  if (all.length === 0) return null
  return (
    <Stack gap="sm">
      {all.map(({ label, href }) => (
        <Button
          key={href}
          component="a"
          href={href}
          variant="default"
          // OAuth has no place for it.
          onClick={() => keepDestination(destination)}
        >
          {label}
        </Button>
      ))}
      {methods.password && <Divider label="or" />}
    </Stack>
  )
}
