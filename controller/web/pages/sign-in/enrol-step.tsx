import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import {
  beginEnrolment,
  finishEnrolment,
  finishWithTicket,
  type Credentials,
  type Standing,
} from '../../api/sign-in.ts'
import { useApp } from '../../app-context.ts'
import { AuthenticatorForm } from '../../parts/authenticator-form.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { RecoveryCodes } from '../../parts/recovery-codes.tsx'

interface EnrolStepProps {
  readonly given: Credentials
  readonly ticket: string
  readonly onDone: (standing: Standing, given: Credentials) => void
  readonly onBack: () => void
}

/** The company asks for a second factor, and this user has none yet. */
export function EnrolStep({ given, ticket, onDone, onBack }: EnrolStepProps) {
  const { api } = useApp()
  const [codes, setCodes] = useState<readonly string[]>()
  const finish = useMutation({
    mutationFn: () => finishWithTicket(api, given, ticket),
    onSuccess: (standing) => onDone(standing, given),
  })
  if (codes)
    return (
      <Stack gap="sm">
        <RecoveryCodes codes={codes} />
        <ErrorText error={finish.error} />
        <Button loading={finish.isPending} onClick={() => finish.mutate()}>
          I have kept them: sign in
        </Button>
      </Stack>
    )
  return (
    <Stack gap="sm">
      <Text size="sm">Your company asks for a second factor besides the password.</Text>
      <AuthenticatorForm
        begin={() => beginEnrolment(api, given.email, ticket)}
        finish={(code) => finishEnrolment(api, given.email, ticket, code)}
        onDone={setCodes}
      />
      <Button variant="subtle" onClick={onBack}>
        Back
      </Button>
    </Stack>
  )
}
