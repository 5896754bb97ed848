import { Paper, Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'

/** One of the blocks of the form. */
export function FormBlock({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  const id = useId()
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id}>
      <Title order={2} mb="sm" id={id}>
        {title}
      </Title>
      {children}
    </Paper>
  )
}
