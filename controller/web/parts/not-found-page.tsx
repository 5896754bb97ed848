import { Container, Text, Title } from '@mantine/core'
import { LinkText } from './link-button.tsx'

/** For addresses that lead nowhere. */
export function NotFoundPage() {
  return (
    <Container component="main" py="xl" size="sm">
      <title>No such page · Temblor</title>
      <Title order={1}>There is no such page</Title>
      <Text mt="sm">
        <LinkText to="/">To the attacks</LinkText>
      </Text>
    </Container>
  )
}
