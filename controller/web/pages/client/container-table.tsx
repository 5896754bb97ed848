import { Table, Text } from '@mantine/core'
import type { Client } from '../../../../shared/api/clients.ts'
import { LinkButton } from '../../parts/link-button.tsx'
import { Pairs } from '../../parts/pairs.tsx'
import { WideTable } from '../../parts/wide-table.tsx'
import { useMe } from '../../shell/me.tsx'

/** The containers that run on a host, with their labels. */
export function ContainerTable({ client }: { readonly client: Client }) {
  const { can } = useMe()
  const { containers, docker_version, targetable } = client
  if (containers.length === 0)
    return (
      <Text size="sm">
        {docker_version === null
          ? 'There is no Docker Engine that the agent can reach.'
          : 'No container runs there.'}
      </Text>
    )
  const isOpen = targetable && can('EXPERIMENTS_RUN')
  return (
    <WideTable label="Containers" minWidth={640}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Image</Table.Th>
          <Table.Th>Labels</Table.Th>
          <Table.Th w="8rem">Attacks</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {containers.map((container) => (
          <ContainerRow key={container.id} container={container} isOpen={isOpen} />
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

interface ContainerRowProps {
  readonly container: Client['containers'][number]
  /** Whether it may be attacked, unless its owner forbids it. */
  readonly isOpen: boolean
}

function ContainerRow({ container, isOpen }: ContainerRowProps) {
  const { id, name, image, labels, state, protected: isProtected } = container
  const isAttackable = isOpen && !isProtected
  return (
    <Table.Tr>
      <Table.Td maw="14rem">
        <span className="temblor-clipped" title={id}>
          {name}
        </span>
        {state === 'paused' && (
          <Text size="xs" c="dimmed">
            paused
          </Text>
        )}
      </Table.Td>
      <Table.Td maw="14rem">
        <span className="temblor-clipped">{image}</span>
      </Table.Td>
      <Table.Td maw="22rem">
        <Pairs pairs={labels} most={12} />
      </Table.Td>
      <Table.Td>
        {isAttackable && (
          <LinkButton
            to="/attacks/new"
            search={({ team }) => ({ team, container: id })}
            variant="default"
            size="compact-xs"
          >
            Attack it
          </LinkButton>
        )}
        {!isAttackable && (isProtected ? 'Protected' : 'Allowed')}
      </Table.Td>
    </Table.Tr>
  )
}
