import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface CardProps {
  readonly title: string
  /** What it is for, in a sentence or two. */
  readonly intro?: ReactNode
  readonly actions?: ReactNode
  readonly children?: ReactNode
  readonly order?: 2 | 3
}

/** One matter of a page, with its heading. */
export function Card({ title, intro, actions, children, order = 3 }: CardProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title} maw={860}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Title order={order} fz="md" className="temblor-given">
            {title}
          </Title>
          {actions}
        </Group>
        {intro && (
          <Text size="sm" c="dimmed">
            {intro}
          </Text>
        )}
        {children}
      </Stack>
    </Paper>
  )
}
