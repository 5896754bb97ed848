import { Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionTitleProps {
  /** The page that it is a part of. */
  readonly of: string
  readonly title: string
  /** What can be done. */
  readonly children?: ReactNode
}

/** The heading of a part of a page, also the name of its tab in the browser. */
export function SectionTitle({ of, title, children }: SectionTitleProps) {
  return (
    <Group justify="space-between" gap="sm">
      <title>{`${title} · ${of} · Temblor`}</title>
      <Title order={2} className="temblor-given">
        {title}
      </Title>
      <Group gap="xs">{children}</Group>
    </Group>
  )
}
