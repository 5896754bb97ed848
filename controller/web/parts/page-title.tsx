import { Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** The heading of a page, also the name of its tab; what can be done stands beside it. */
export function PageTitle({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ReactNode
}) {
  return (
    <Group justify="space-between" mb="md" gap="sm">
      <title>{`${title} · Temblor`}</title>
      <Title order={1} className="temblor-given">
        {title}
      </Title>
      <Group gap="xs">{children}</Group>
    </Group>
  )
}
