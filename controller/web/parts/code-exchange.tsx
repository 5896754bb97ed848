import { Stack } from '@mantine/core'
import { ErrorText } from './error-text.tsx'
import { LinkButton } from './link-button.tsx'
import { Loading } from './loading.tsx'
import { SignInFrame } from './sign-in-frame.tsx'

/** While a provider's sign-in becomes a session, and when it does not. */
export function CodeExchange({
  title,
  error,
}: {
  readonly title: string
  readonly error: unknown
}) {
  return (
    <SignInFrame title={title}>
      {error ? (
        <Stack gap="sm">
          <ErrorText error={error} />
          <LinkButton to="/sign-in">Sign in again</LinkButton>
        </Stack>
      ) : (
        <Loading what="your session" />
      )}
    </SignInFrame>
  )
}
