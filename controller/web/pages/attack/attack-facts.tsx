import { Code, Group, Progress, Stack, Text } from '@mantine/core'
import type { Attack } from '../../../../shared/api/records.ts'
import { isOver } from '../../../../shared/attack-words.ts'
import { useNow } from '../../parts/now.ts'
import { RelativeTime } from '../../parts/relative-time.tsx'
import { StageBadge } from '../../parts/stage-badge.tsx'
import { lengthWords } from '../../parts/time-words.ts'

/** What was asked for, by whom, and how far it is. */
export function AttackFacts({ attack }: { readonly attack: Attack }) {
  const { command_type, args, create_user, created_at, guid } = attack
  return (
    <Stack gap="xs">
      <Group gap="md">
        <StageBadge stage={attack.stage} />
        <Text size="sm">
          {'Started '}
          <RelativeTime at={created_at} />
          {' by '}
          <span className="temblor-given">{create_user}</span>
        </Text>
        <Text size="sm" c="dimmed" ff="monospace">
          {guid}
        </Text>
      </Group>
      <Code block className="temblor-given">
        {[command_type, ...args].join(' ')}
      </Code>
      <HowFar attack={attack} />
      {attack.halted_by && (
        <Text size="sm" className="temblor-given">
          {`Halted by ${attack.halted_by}${attack.halt_reason ? `: ${attack.halt_reason}` : ''}`}
        </Text>
      )}
    </Stack>
  )
}

/** The time that is left, from when the attack was made: what it takes to get to a host is little. */
function HowFar({ attack }: { readonly attack: Attack }) {
  const now = useNow()
  if (isOver(attack)) return null
  const gone = Math.max(0, (now - Date.parse(attack.start_time)) / 1000)
  const left = Math.max(0, attack.length_seconds - gone)
  return (
    <Group gap="sm" wrap="nowrap">
      <Progress
        flex={1}
        value={Math.min(100, (gone / attack.length_seconds) * 100)}
        aria-label="Share of the length that is over"
      />
      <Text size="sm" className="temblor-number">
        {`${lengthWords(left)} of ${lengthWords(attack.length_seconds)} left`}
      </Text>
    </Group>
  )
}
