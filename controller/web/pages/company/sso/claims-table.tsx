import { Code, Table, Text } from '@mantine/core'
import { WideTable } from '../../../parts/wide-table.tsx'

interface ClaimsTableProps {
  readonly claims: readonly { readonly name: string; readonly values: string }[]
}

/** Which claims give roles. */
export function ClaimsTable({ claims }: ClaimsTableProps) {
  return (
    <>
      <Text size="sm">Roles, where the provider tells them:</Text>
      <WideTable label="Claims of roles" minWidth={420}>
        <Table.Tbody>
          {claims.map(({ name, values }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Code>{name}</Code>
              </Table.Td>
              <Table.Td className="temblor-given">{values}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </>
  )
}
