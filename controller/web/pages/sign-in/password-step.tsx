import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readSignInMethods } from '../../../../shared/api/sign-in-methods.ts'
import { signInWithPassword, type Credentials, type Standing } from '../../api/sign-in.ts'
import { useApp } from '../../app-context.ts'
import { ErrorText } from '../../parts/error-text.tsx'
import { formText } from '../../parts/form-text.ts'
import { LinkText } from '../../parts/link-button.tsx'
import { lastChoice } from '../../session/last-choices.ts'
import { Providers } from './providers.tsx'

interface PasswordStepProps {
  /** The path that a sign-in with a provider leads to. */
  readonly destination: string
  readonly onDone: (standing: Standing, given: Credentials) => void
}

/** What a company that has chosen nothing offers. */
const usual = { password: true, saml: false, oauth: false, google: false }
const typingMs = 400

/** Company, address and password; or a provider, where the company has one. */
export function PasswordStep({ destination, onDone }: PasswordStepProps) {
  const { api } = useApp()
  const [company, setCompany] = useState(lastChoice('company') ?? '')
  const [companyName] = useDebouncedValue(company.trim(), typingMs)
  const { data: methods = usual } = useQuery({
    queryKey: ['sign-in-methods', companyName],
    queryFn: ({ signal }) =>
      api.anonymous.call(readSignInMethods, { query: { companyName }, signal }),
    enabled: companyName !== '',
  })
  const work = useMutation({
    mutationFn: async (given: Credentials) => onDone(await signInWithPassword(api, given), given),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        work.mutate({
          email: formText(form, 'email').trim(),
          password: formText(form, 'password'),
          companyName: company.trim(),
        })
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Company"
          description="Optional, unless you sign in with a provider."
          name="company"
          autoComplete="organization"
          maxLength={200}
          value={company}
          onChange={(event) => setCompany(event.currentTarget.value)}
        />
        <Providers methods={methods} companyName={companyName} destination={destination} />
        {methods.password ? (
          <PasswordFields error={work.error} isPending={work.isPending} />
        ) : (
          <Text size="sm">This company has no passwords.</Text>
        )}
      </Stack>
    </form>
  )
}

function PasswordFields({ error, isPending }: { error: unknown; isPending: boolean }) {
  return (
    <>
      <TextInput
        label="Email address"
        name="email"
        type="email"
        autoComplete="username"
        required
        maxLength={254}
        autoFocus
      />
      <PasswordInput
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        maxLength={1024}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
      />
      <ErrorText error={error} />
      <Button type="submit" loading={isPending}>
        Sign in
      </Button>
      <LinkText to="/forgot-password" size="sm" ta="center">
        Forgot your password?
      </LinkText>
    </>
  )
}
