import { Container } from '@mantine/core'
import { ErrorText } from './error-text.tsx'

/** Instead of a page that could not be shown. */
export function ErrorPage({
  error,
  retry,
}: {
  readonly error: unknown
  readonly retry: () => void
}) {
  return (
    <Container py="xl" size="sm">
      <ErrorText error={error} retry={retry} />
    </Container>
  )
}
