import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../../../shared/api/errors.ts'
import { ErrorText } from './error-text.tsx'
import { fieldErrors } from './field-errors.ts'
import { formText } from './form-text.ts'
import { NewPasswordFields } from './new-password-fields.tsx'

interface LinkFormProps {
  readonly intro: string
  readonly email: string
  readonly action: string
  /** Below the password. */
  readonly description?: string
  readonly isMaybeOld?: boolean
  /** What is said when link and password are refused; the server says the same whatever is wrong. */
  readonly refusal: string
  readonly send: (password: string) => Promise<void>
}

/** What a link that was mailed asks for: a password for the address that it names. */
export function LinkForm(props: LinkFormProps) {
  const { intro, email, action, refusal, send, ...fields } = props
  const work = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const password = formText(form, 'password')
      if (password !== formText(form, 'repeated'))
        throw new ApiError('invalid_body', 'The two passwords differ.')
      await send(password)
    },
  })
  const isRefused = work.error instanceof ApiError && work.error.code === 'invalid_credentials'
  const { at, rest } = fieldErrors(work.error, ['password'])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        work.mutate(event.currentTarget)
      }}
    >
      <Stack gap="sm">
        <Text size="sm">{intro}</Text>
        <TextInput
          label="Email address"
          name="email"
          type="text"
          autoComplete="username"
          value={email}
          readOnly
        />
        <NewPasswordFields {...fields} error={at('password')} />
        <ErrorText error={isRefused ? new ApiError('invalid_body', refusal) : rest} />
        <Button type="submit" loading={work.isPending}>
          {action}
        </Button>
      </Stack>
    </form>
  )
}
