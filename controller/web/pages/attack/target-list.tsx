import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { Attack, Execution } from '../../../../shared/api/records.ts'
import { formatEffect, remarkOf, targetName } from '../../../../shared/attack-words.ts'
import { StageBadge } from '../../parts/stage-badge.tsx'
import { StageTimeline } from './stage-timeline.tsx'

/** Each target: its stages with their times, asked against measured, and in plain words what went wrong. */
export function TargetList({
  attack,
  executions,
}: {
  readonly attack: Attack
  readonly executions: readonly Execution[]
}) {
  return (
    <section aria-label="Targets">
      <Title order={2} mb="xs">
        {`Targets (${executions.length})`}
      </Title>
      <Stack gap="xs">
        {executions.map((execution) => (
          <Target key={execution.guid} attack={attack} execution={execution} />
        ))}
        {attack.targets_without_container.map((host) => (
          <Text key={host} size="sm" className="temblor-given">
            {`${host}: no container there carries the labels; nothing was done.`}
          </Text>
        ))}
      </Stack>
    </section>
  )
}

function Target({ attack, execution }: { attack: Attack; execution: Execution }) {
  const { stage, stage_lifecycle, requested, measured, backend, output } = execution
  const remark = stage === 'Successful' ? remarkOf(execution) : output
  return (
    <Paper withBorder p="sm" component="article" aria-label={targetName(execution)}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text fw={600} className="temblor-given">
          {targetName(execution)}
        </Text>
        <StageBadge stage={stage} />
      </Group>
      <Group gap="lg" mb={4}>
        <Fact name="Asked" value={formatEffect(requested)} />
        <Fact name="Measured" value={formatEffect(measured)} />
        {backend && <Fact name="By" value={backend} />}
      </Group>
      <StageTimeline attack={attack} states={execution.service_states} />
      {remark !== '' && (
        <Text
          size="sm"
          mt={4}
          className="temblor-given"
          c={stage_lifecycle === 'Error' ? 'var(--mantine-color-error)' : undefined}
        >
          {remark}
        </Text>
      )}
    </Paper>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <Text size="sm" className="temblor-number">
      <Text span c="dimmed" size="sm">
        {`${name} `}
      </Text>
      {value}
    </Text>
  )
}
