import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ApiError } from '../../../../shared/api/errors.ts'
import { switchFactorOff } from '../../api/account.ts'
import { useApp } from '../../app-context.ts'
import { Card } from '../../parts/card.tsx'
import { ConfirmDanger } from '../../parts/confirm-danger.tsx'
import { useMe } from '../../shell/me.tsx'

/** Password and code again: a session is not enough to take this away. */
export function SwitchFactorOff({ isRequired }: { readonly isRequired: boolean }) {
  const { api, sessions } = useApp()
  const email = useMe().self.identifier
  const [isOpen, setOpen] = useState(false)
  const [password, setPassword] = useState('')
  const [token, setToken] = useState('')
  const confirm = async () => {
    await switchFactorOff(api, { email, password, token: token.replaceAll(' ', '') }).catch(explain)
    // The server has ended it as well.
    sessions.end()
  }
  return (
    <Card
      title="Switch it off"
      intro={
        isRequired
          ? 'Your company requires one: you will be asked to set up another at your next sign-in. For a new phone that is the way.'
          : 'To set up another authenticator, switch the present one off first.'
      }
    >
      <Group>
        <Button
          size="xs"
          variant="default"
          c="var(--mantine-color-error)"
          onClick={() => setOpen(true)}
        >
          Switch off …
        </Button>
      </Group>
      <ConfirmDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Switch off the second factor of ${email}?`}
        action="Switch it off"
        isDisabled={password === '' || token === ''}
        onConfirm={confirm}
      >
        <Stack gap="sm">
          <Text size="sm">All your sessions end, this one among them.</Text>
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            maxLength={1024}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          />
          <TextInput
            label="Code"
            description="Of your authenticator, or one of your recovery codes."
            autoComplete="one-time-code"
            maxLength={40}
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
          />
        </Stack>
      </ConfirmDanger>
    </Card>
  )
}

function explain(error: unknown): never {
  if (error instanceof ApiError && error.code === 'invalid_credentials')
    throw new ApiError('forbidden', 'Password and code do not belong together. Check both.')
  throw error
}
