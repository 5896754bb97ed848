import { PasswordInput } from '@mantine/core'
import { passwordMinLength } from '../../../shared/api/password.ts'

interface NewPasswordFieldsProps {
  /** What stands below the first of them; how long a password is at least, unless stated. */
  readonly description?: string
  /** It may also be one that there is already, of any length. */
  readonly isMaybeOld?: boolean
  /** What is wrong with it. */
  readonly error?: string | undefined
}

/** A password that is chosen, as fields `password` and `repeated`. */
export function NewPasswordFields(props: NewPasswordFieldsProps) {
  const { description, isMaybeOld = false, error } = props
  const common = {
    autoComplete: 'new-password',
    required: true,
    maxLength: 1024,
    visibilityToggleButtonProps: { 'aria-label': 'Show it' },
  }
  return (
    <>
      <PasswordInput
        {...common}
        label="Password"
        name="password"
        description={description ?? `At least ${passwordMinLength} characters.`}
        error={error}
        {...(isMaybeOld ? {} : { minLength: passwordMinLength })}
      />
      <PasswordInput {...common} label="The same again" name="repeated" />
    </>
  )
}
