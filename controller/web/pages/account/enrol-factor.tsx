import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../../shared/api/errors.ts'
import type { MfaSecret } from '../../../../shared/api/mfa.ts'
import { proposeFactor, proveFactor } from '../../api/account.ts'
import { useApp } from '../../app-context.ts'
import { AuthenticatorForm } from '../../parts/authenticator-form.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { formText } from '../../parts/form-text.ts'
import { RecoveryCodes } from '../../parts/recovery-codes.tsx'
import { useMe } from '../../shell/me.tsx'

/** Password, authenticator, recovery codes: step by step. */
export function EnrolFactor() {
  const { api, queryClient } = useApp()
  const email = useMe().self.identifier
  const [secret, setSecret] = useState<MfaSecret>()
  const [codes, setCodes] = useState<readonly string[]>()
  const finish = () => void queryClient.invalidateQueries({ queryKey: ['mfa'] })
  if (codes)
    return (
      <Card title="Recovery codes">
        <RecoveryCodes codes={codes} />
        <Group>
          <Button size="xs" onClick={finish}>
            I have kept them
          </Button>
        </Group>
      </Card>
    )
  if (!secret) return <AskPassword email={email} onSecret={setSecret} />
  return (
    <Card title="Set up an authenticator">
      <Stack maw={480}>
        <AuthenticatorForm
          begin={() => Promise.resolve(secret)}
          finish={(code) => proveFactor(api, email, code)}
          onDone={setCodes}
        />
      </Stack>
    </Card>
  )
}

interface AskPasswordProps {
  readonly email: string
  readonly onSecret: (secret: MfaSecret) => void
}

function AskPassword({ email, onSecret }: AskPasswordProps) {
  const { api } = useApp()
  const work = useMutation({
    mutationFn: (password: string) => proposeFactor(api, email, password),
    onSuccess: onSecret,
  })
  return (
    <Card
      title="Switch it on"
      intro="You need an authenticator, such as an app on your phone. Your password first: a session that somebody found open must not be enough."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          work.mutate(formText(event.currentTarget, 'password'))
        }}
      >
        <Stack gap="sm" maw={480}>
          <input type="hidden" name="username" autoComplete="username" value={email} />
          <PasswordInput
            label="Password"
            name="password"
            required
            maxLength={1024}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
            error={isWrong(work.error) ? 'This is not your password.' : undefined}
          />
          <ErrorText error={isWrong(work.error) ? undefined : work.error} />
          <Group>
            <Button type="submit" size="xs" loading={work.isPending}>
              Set up an authenticator
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

function isWrong(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invalid_credentials'
}
