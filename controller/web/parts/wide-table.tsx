import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

interface WideTableProps {
  /** What it lists, for those who do not see it. */
  readonly label: string
  /** Narrower than this (px) it is moved sideways, also by keyboard. */
  readonly minWidth: number
  readonly children: ReactNode
}

/** A table that keeps its columns on narrow screens. */
export function WideTable({ label, minWidth, children }: WideTableProps) {
  const viewportProps = { tabIndex: 0, role: 'region', 'aria-label': label }
  return (
    <Table.ScrollContainer minWidth={minWidth} scrollAreaProps={{ viewportProps }}>
      <Table verticalSpacing={6}>{children}</Table>
    </Table.ScrollContainer>
  )
}
