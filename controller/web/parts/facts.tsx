import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

/** A few facts, each with its name. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <Table variant="vertical" layout="fixed" maw={640}>
      <Table.Tbody>
        {facts.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w="10rem" className="temblor-given">
              {name}
            </Table.Th>
            <Table.Td className="temblor-given">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
