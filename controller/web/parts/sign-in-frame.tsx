import { Box, Container, Group, Paper, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import icon from '../icon.svg'

/** Around whatever is asked of somebody who is not signed in. */
export function SignInFrame({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <Container component="main" size={420} py={{ base: 'md', xs: 80 }}>
      <title>{`${title} · Temblor`}</title>
      <Group gap="xs" mb="md">
        <img src={icon} width={28} height={28} alt="" />
        <Box fw={700} fz="lg">
          Temblor
        </Box>
      </Group>
      <Paper withBorder p="lg">
        <Title order={1} mb="md">
          {title}
        </Title>
        {children}
      </Paper>
    </Container>
  )
}
