import { Text } from '@mantine/core'

/** While something is asked for. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <Text role="status" c="dimmed" size="sm">
      {`Loading ${what} …`}
    </Text>
  )
}
