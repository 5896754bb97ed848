import { Stack, Text } from '@mantine/core'
import { CopyLine } from './copy-line.tsx'

/** Shown once: each opens a sign-in without the authenticator, once. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        The second factor is on. Keep these recovery codes where you find them without your
        authenticator: each is good once, and they are not shown again.
      </Text>
      <CopyLine label="Recovery codes" text={codes.join('\n')} />
    </Stack>
  )
}
