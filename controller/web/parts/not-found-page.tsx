import { Container } from '@mantine/core'
import { EmptyState } from './empty-state.tsx'
import { LinkText } from './link-button.tsx'

/** For addresses that lead nowhere. */
export function NotFoundPage() {
  return (
    <Container component="main" py="xl" size="sm">
      <title>No such page · Temblor</title>
      <EmptyState title="There is no such page">
        <LinkText to="/">To the attacks</LinkText>
      </EmptyState>
    </Container>
  )
}
