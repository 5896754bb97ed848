import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Card } from '../../../parts/card.tsx'
import { CopyLine } from '../../../parts/copy-line.tsx'

interface CopyCardProps {
  readonly title: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly children?: ReactNode
}

/** What is to be entered elsewhere, line by line. */
export function CopyCard({ title, fields, children }: CopyCardProps) {
  return (
    <Card title={title}>
      <Stack gap="xs">
        {fields.map(([name, value]) => (
          <div key={name}>
            <Text size="sm" mb={2}>
              {name}
            </Text>
            <CopyLine label={name} text={value} />
          </div>
        ))}
        {children}
      </Stack>
    </Card>
  )
}
