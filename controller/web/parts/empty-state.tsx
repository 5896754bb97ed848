import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** What is shown where nothing is yet: what would be here, and how it gets here. */
export function EmptyState({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ReactNode
}) {
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm" align="flex-start">
        <Title order={2}>{title}</Title>
        {typeof children === 'string' ? <Text>{children}</Text> : children}
      </Stack>
    </Paper>
  )
}
