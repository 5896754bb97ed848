import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../../../../shared/api/errors.ts'
import { changePassword } from '../../../../shared/api/sessions.ts'
import { useApp } from '../../app-context.ts'
import { Card } from '../../parts/card.tsx'
import { ErrorText } from '../../parts/error-text.tsx'
import { fieldErrors } from '../../parts/field-errors.ts'
import { formText } from '../../parts/form-text.ts'
import { useMe } from '../../shell/me.tsx'

const fields = ['currentPassword', 'newPassword', 'repeated']

/** Another password; whoever had the old one is out. */
export function PasswordCard() {
  const { api } = useApp()
  const { self } = useMe()
  const work = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const [currentPassword = '', newPassword = '', repeated] = fields.map((name) =>
        formText(form, name),
      )
      if (newPassword !== repeated) throw fault('repeated', 'The two new passwords differ.')
      await api.call(changePassword, { body: { currentPassword, newPassword } }).catch(explain)
      form.reset()
      notifications.show({ message: 'The password is changed. All other sessions have ended.' })
    },
  })
  const errors = fieldErrors(work.error, fields)
  return (
    <Card
      title="Password"
      intro="A new password ends all your other sessions at once. API keys stay as they are."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          work.mutate(event.currentTarget)
        }}
      >
        <Stack gap="sm" maw={480}>
          <input type="hidden" name="username" autoComplete="username" value={self.identifier} />
          <Secret label="Current password" name="currentPassword" error={errors.at} />
          <Secret label="New password" name="newPassword" error={errors.at} isNew />
          <Secret label="The new one again" name="repeated" error={errors.at} isNew />
          <ErrorText error={errors.rest} />
          <Group>
            <Button type="submit" size="xs" variant="default" loading={work.isPending}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

interface SecretProps {
  readonly label: string
  readonly name: string
  readonly isNew?: boolean
  readonly error: (field: string) => string | undefined
}

function Secret({ label, name, isNew = false, error }: SecretProps) {
  return (
    <PasswordInput
      label={label}
      name={name}
      required
      maxLength={1024}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      description={name === 'newPassword' ? 'At least 12 characters.' : undefined}
      error={error(name)}
      visibilityToggleButtonProps={{ 'aria-label': `Show: ${label}` }}
    />
  )
}

function fault(field: string, message: string): ApiError {
  return new ApiError('invalid_body', message, { details: { field } })
}

/** A wrong password belongs at its field. */
function explain(error: unknown): never {
  if (error instanceof ApiError && error.code === 'invalid_credentials')
    throw fault('currentPassword', 'This is not your password.')
  throw error
}
