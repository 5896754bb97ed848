import { Alert, Button, Group, Text } from '@mantine/core'
import { wordsOf } from '../api/error-words.ts'

/** What went wrong, and a way to try again where that may help. Nothing without an error. */
export function ErrorText({
  error,
  retry,
}: {
  readonly error: unknown
  readonly retry?: () => void
}) {
  if (!error) return null
  return (
    <Alert color="red" variant="outline" role="alert" p="xs">
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" className="temblor-given">
          {wordsOf(error)}
        </Text>
        {retry && (
          <Button size="compact-sm" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  )
}
