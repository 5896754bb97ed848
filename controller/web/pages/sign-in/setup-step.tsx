import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../../../../shared/api/errors.ts'
import { makeFirstOwner } from '../../../../shared/api/setup.ts'
import { signInWithPassword, type Credentials, type Standing } from '../../api/sign-in.ts'
import { useApp } from '../../app-context.ts'
import { ErrorText } from '../../parts/error-text.tsx'
import { formText } from '../../parts/form-text.ts'
import { NewPasswordFields } from '../../parts/new-password-fields.tsx'

interface SetupStepProps {
  readonly onDone: (standing: Standing, given: Credentials) => void
}

/** Nobody is there yet: whoever reads the controller's log becomes the first owner. */
export function SetupStep({ onDone }: SetupStepProps) {
  const { api } = useApp()
  const work = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const text = (name: string) => formText(form, name)
      if (text('password') !== text('repeated'))
        throw new ApiError('invalid_body', 'The two passwords differ.')
      const [email, password, company] = [text('email').trim(), text('password'), text('company')]
      const body = { code: text('code'), company, team: text('team'), email, password }
      await api.anonymous.call(makeFirstOwner, { body })
      const given = { email, password, companyName: company.trim() }
      onDone(await signInWithPassword(api, given), given)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        work.mutate(event.currentTarget)
      }}
    >
      <Stack gap="sm">
        <Text size="sm">
          Nobody has a user here yet. The controller has written a code into its log when it
          started; with it you make the first owner.
        </Text>
        <TextInput label="Code" name="code" autoComplete="off" required maxLength={200} autoFocus />
        <TextInput label="Company" name="company" required maxLength={100} />
        <TextInput label="First team" name="team" defaultValue="Default" required maxLength={100} />
        <TextInput
          label="Email address"
          name="email"
          type="email"
          autoComplete="username"
          required
          maxLength={254}
        />
        <NewPasswordFields />
        <ErrorText error={work.error} />
        <Button type="submit" loading={work.isPending}>
          Make the first owner
        </Button>
      </Stack>
    </form>
  )
}
