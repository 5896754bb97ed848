import { Table, Text } from '@mantine/core'
import type { Attack } from '../../../../shared/api/records.ts'
import { countWords } from '../../parts/count-words.ts'
import { LinkText } from '../../parts/link-button.tsx'
import { RelativeTime } from '../../parts/relative-time.tsx'
import { RunAgain } from '../../parts/run-again.tsx'
import { StageBadge } from '../../parts/stage-badge.tsx'

/** One attack in the list. */
export function AttackRow({ attack }: { readonly attack: Attack }) {
  const { guid, stage, command_type, args, create_user, created_at } = attack
  return (
    <Table.Tr>
      <Table.Td>
        <StageBadge stage={stage} />
      </Table.Td>
      <Table.Td>
        <LinkText to="/attacks/$id" params={{ id: guid }} fw={600} size="sm">
          {command_type}
        </LinkText>{' '}
        <Text span ff="monospace" size="xs" c="dimmed" className="temblor-clipped" maw="70%">
          {args.join(' ')}
        </Text>
      </Table.Td>
      <Table.Td title={targetWords(attack, 50)} visibleFrom="sm">
        <span className="temblor-clipped">{targetWords(attack, 3)}</span>
      </Table.Td>
      <Table.Td visibleFrom="md">
        <span className="temblor-clipped">{create_user}</span>
      </Table.Td>
      <Table.Td>
        <RelativeTime at={created_at} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <RunAgain id={guid} isSmall />
      </Table.Td>
    </Table.Tr>
  )
}

/** The first few by name, and how many more. */
function targetWords({ targets, target_type, target_containers }: Attack, most: number): string {
  const containers = Object.values(target_containers).reduce((sum, ids) => sum + ids.length, 0)
  const names = targets.slice(0, most).join(', ')
  const more = targets.length > most ? ` and ${targets.length - most} more` : ''
  const unit = `${countWords(containers, 'container')} on `
  return `${target_type === 'Container' ? unit : ''}${names}${more}`
}
