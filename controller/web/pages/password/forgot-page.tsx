import { Button, Code, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { requestPasswordReset } from '../../../../shared/api/password-reset.ts'
import { useApp } from '../../app-context.ts'
import { ErrorText } from '../../parts/error-text.tsx'
import { formText } from '../../parts/form-text.ts'
import { LinkText } from '../../parts/link-button.tsx'
import { SignInFrame } from '../../parts/sign-in-frame.tsx'

/** Has a link mailed with which a user sets a new password. */
export function ForgotPasswordPage() {
  const { api } = useApp()
  const work = useMutation({
    mutationFn: async (email: string) => {
      await api.anonymous.call(requestPasswordReset, { body: { email } })
      return email
    },
  })
  return (
    <SignInFrame title="Forgot your password?">
      <Stack gap="sm">
        {work.data === undefined ? <AskForMail work={work} /> : <Answer email={work.data} />}
        <LinkText to="/sign-in" size="sm">
          Back to the sign-in
        </LinkText>
      </Stack>
    </SignInFrame>
  )
}

interface AskForMailProps {
  readonly work: {
    readonly mutate: (email: string) => void
    readonly error: unknown
    readonly isPending: boolean
  }
}

function AskForMail({ work }: AskForMailProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        work.mutate(formText(event.currentTarget, 'email').trim())
      }}
    >
      <Stack gap="sm">
        <Text size="sm">A link with which you set a new one goes to your address.</Text>
        <TextInput
          label="Email address"
          name="email"
          type="email"
          autoComplete="username"
          required
          maxLength={254}
          autoFocus
        />
        <ErrorText error={work.error} />
        <Button type="submit" loading={work.isPending}>
          Send me a link
        </Button>
      </Stack>
    </form>
  )
}

/** The same whether there is such a user or not. */
function Answer({ email }: { readonly email: string }) {
  return (
    <Stack gap="sm" role="status">
      <Text size="sm" className="temblor-given">
        {`If ${email} has a user with a password here, a mail is on its way to it. Its link is good for 30 minutes, once.`}
      </Text>
      <Text size="sm">
        No mail? Look among unwanted ones. A controller without a mail server sends none: there,
        whoever runs it makes a link with <Code>temblor admin user reset-password</Code>.
      </Text>
    </Stack>
  )
}
