import { Button, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { finishWithTicket, type Credentials, type Standing } from '../../api/sign-in.ts'
import { useApp } from '../../app-context.ts'
import { ErrorText } from '../../parts/error-text.tsx'
import { formText } from '../../parts/form-text.ts'

interface CodeStepProps {
  readonly given: Credentials
  readonly ticket: string
  readonly onDone: (standing: Standing, given: Credentials) => void
  readonly onBack: () => void
}

/** A code of the authenticator, or a recovery code. */
export function CodeStep({ given, ticket, onDone, onBack }: CodeStepProps) {
  const { api } = useApp()
  const work = useMutation({
    mutationFn: (code: string) => finishWithTicket(api, given, ticket, code),
    onSuccess: (standing) => onDone(standing, given),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        work.mutate(formText(event.currentTarget, 'code').replaceAll(' ', ''))
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Code"
          description="Six digits from your authenticator, or one of your recovery codes."
          name="code"
          autoComplete="one-time-code"
          required
          maxLength={40}
          autoFocus
        />
        <ErrorText error={work.error} />
        <Button type="submit" loading={work.isPending}>
          Sign in
        </Button>
        <Button variant="subtle" onClick={onBack}>
          Back
        </Button>
      </Stack>
    </form>
  )
}
