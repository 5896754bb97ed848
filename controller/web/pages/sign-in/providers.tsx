import { Button, Divider, Stack } from '@mantine/core'
import type { SignInMethods } from '../../../../shared/api/sign-in-methods.ts'

interface ProvidersProps {
  readonly methods: SignInMethods
  readonly companyName: string
  readonly destination: string
}

/** The providers of identities that the company has. */
export function Providers({ methods, companyName, destination }: ProvidersProps) {
  const query = new URLSearchParams({ companyName, destination }).toString()
  const all = [
    { is: methods.saml, label: 'Sign in with SAML', href: `/v1/users/auth/saml/login?${query}` },
  ].filter(({ is }) => is)
  if (all.length === 0) return null
  return (
    <Stack gap="sm">
      {all.map(({ label, href }) => (
        <Button key={href} component="a" href={href} variant="default">
          {label}
        </Button>
      ))}
      {methods.password && <Divider label="or" />}
    </Stack>
  )
}
