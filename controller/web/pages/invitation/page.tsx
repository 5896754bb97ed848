import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { acceptInvitation } from '../../../../shared/api/invitations.ts'
import { passwordMinLength } from '../../../../shared/api/password.ts'
import { useApp } from '../../app-context.ts'
import { LinkForm } from '../../parts/link-form.tsx'
import { SignInFrame } from '../../parts/sign-in-frame.tsx'
import { ToSignIn } from '../../parts/to-sign-in.tsx'
import { rememberChoice } from '../../session/last-choices.ts'
import { dropLinkFacts, useLinkFacts } from '../../session/link-facts.ts'

/** The API tells all of these alike. */
const refusal =
  'This was refused. If you have a user here already, give the password of that user. Otherwise the link was ' +
  'used, withdrawn or replaced, or has expired, or your company signs in with a provider: then ask whoever ' +
  'invited you for a new one.'

/** Joins a company with the link of an invitation. */
export function InvitationPage() {
  const { api } = useApp()
  const facts = useLinkFacts()
  const [joined, setJoined] = useState<{ email: string; company: string }>()
  const [companyId, email, code] = ['company', 'email', 'code'].map((name) => facts.get(name))
  if (joined)
    return (
      <SignInFrame title="You have joined">
        <Stack gap="sm">
          <Text size="sm" role="status" className="temblor-given">
            {`${joined.email} is in ${joined.company} now. Sign in with this address and the password.`}
          </Text>
          <ToSignIn />
        </Stack>
      </SignInFrame>
    )
  if (!companyId || !email || !code)
    return (
      <SignInFrame title="Join Temblor">
        <Stack gap="sm">
          <Text size="sm" role="alert">
            This link is not whole, or was used just now. Copy all of it from where you got it. If
            you have joined, sign in.
          </Text>
          <ToSignIn />
        </Stack>
      </SignInFrame>
    )
  const join = async (password: string) => {
    const params = { companyId }
    const body = { email, code, password }
    const answer = await api.anonymous.call(acceptInvitation, { params, body })
    rememberChoice('company', answer.company_name)
    setJoined({ email: answer.identifier, company: answer.company_name })
    dropLinkFacts()
  }
  return (
    <SignInFrame title="Join Temblor">
      <LinkForm
        key={code}
        intro="You are invited. Choose a password; if you have a user here already, give its password."
        email={email}
        action="Join"
        description={`A new one has at least ${passwordMinLength} characters.`}
        isMaybeOld
        refusal={refusal}
        send={join}
      />
    </SignInFrame>
  )
}
