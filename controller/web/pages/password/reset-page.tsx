import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { resetPassword } from '../../../../shared/api/password-reset.ts'
import { useApp } from '../../app-context.ts'
import { LinkForm } from '../../parts/link-form.tsx'
import { LinkButton, LinkText } from '../../parts/link-button.tsx'
import { SignInFrame } from '../../parts/sign-in-frame.tsx'
import { ToSignIn } from '../../parts/to-sign-in.tsx'
import { dropLinkFacts, useLinkFacts } from '../../session/link-facts.ts'

const refusal =
  'This link does not work any more: it is good once, for 30 minutes, and a newer one takes its place. ' +
  'Ask for a new one below.'

/** Sets a new password with the link of a mail. */
export function PasswordResetPage() {
  const { api } = useApp()
  const facts = useLinkFacts()
  const [done, setDone] = useState<string>()
  const [email, code] = ['email', 'code'].map((name) => facts.get(name))
  if (done !== undefined)
    return (
      <SignInFrame title="The new password is set">
        <Stack gap="sm">
          <Text size="sm" role="status" className="temblor-given">
            {`${done} is signed out everywhere. Sign in with the new password.`}
          </Text>
          <ToSignIn />
        </Stack>
      </SignInFrame>
    )
  if (!email || !code)
    return (
      <SignInFrame title="New password">
        <Stack gap="sm">
          <Text size="sm" role="alert">
            This link is not whole. Copy all of it from the mail, or ask for a new one.
          </Text>
          <LinkButton to="/forgot-password">Ask for a new link</LinkButton>
        </Stack>
      </SignInFrame>
    )
  const send = async (password: string) => {
    await api.anonymous.call(resetPassword, { body: { email, code, password } })
    setDone(email)
    dropLinkFacts()
  }
  return (
    <SignInFrame title="New password">
      <Stack gap="sm">
        <LinkForm
          key={code}
          intro="Choose a new password. You will be signed out everywhere; API keys stay."
          email={email}
          action="Set the password"
          refusal={refusal}
          send={send}
        />
        <LinkText to="/forgot-password" size="sm">
          Ask for a new link
        </LinkText>
      </Stack>
    </SignInFrame>
  )
}
