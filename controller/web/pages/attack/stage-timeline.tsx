import { Group, Text } from '@mantine/core'
import type { Attack, Execution } from '../../../../shared/api/records.ts'
import { isTerminal } from '../../../../shared/stages.ts'
import { useNow } from '../../parts/now.ts'
import { stageWords, toneOf } from '../../parts/stage-badge.tsx'
import { exactWords } from '../../parts/time-words.ts'
import { stageSpans } from './stage-spans.ts'

interface StageTimelineProps {
  readonly attack: Pick<Attack, 'created_at' | 'length_seconds'>
  readonly states: Execution['service_states']
}

/** The stages that a target has been through: how long it was in each, and when it came there. */
export function StageTimeline({ attack, states }: StageTimelineProps) {
  const startMs = Date.parse(attack.created_at)
  const isOver = states.some(({ stage }) => isTerminal(stage))
  return (
    <>
      {isOver ? <Bar {...{ attack, states }} nowMs={0} /> : <LiveBar {...{ attack, states }} />}
      <Group component="ol" gap="xs" m={0} p={0} className="temblor-stages" aria-label="Stages">
        {states.map(({ stage, timestamp }) => (
          <Text component="li" key={stage} size="xs" c="dimmed" title={exactWords(timestamp)}>
            <span className="temblor-stage temblor-small" data-tone={toneOf(stage)}>
              {`${stageWords(stage)} `}
              <span className="temblor-number">
                {`+${Math.max(0, (Date.parse(timestamp) - startMs) / 1000).toFixed(1)} s`}
              </span>
            </span>
          </Text>
        ))}
      </Group>
    </>
  )
}

function LiveBar(props: StageTimelineProps) {
  return <Bar {...props} nowMs={useNow()} />
}

/** The same as a picture: for those who see it. */
function Bar({ attack, states, nowMs }: StageTimelineProps & { readonly nowMs: number }) {
  const { spans, restMs } = stageSpans(attack, states, nowMs)
  return (
    <div className="temblor-timeline" aria-hidden>
      {spans.map(({ stage, lengthMs }) => (
        <span
          key={stage}
          className="temblor-stage"
          data-tone={toneOf(stage)}
          title={`${stageWords(stage)}: ${(lengthMs / 1000).toFixed(1)} s`}
          style={{ flexGrow: lengthMs }}
        />
      ))}
      <span style={{ flexGrow: restMs }} />
    </div>
  )
}
