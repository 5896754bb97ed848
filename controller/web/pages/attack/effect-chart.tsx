import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Attack } from '../../../../shared/api/records.ts'
import { isOver } from '../../../../shared/attack-words.ts'
import { metricsQuery, type Metrics } from '../../api/metrics.ts'
import { useApp } from '../../app-context.ts'
import { LiveChart } from '../../parts/live-chart.tsx'

/** Measurements come about once a second. */
const everyMs = 1_000

/** What was asked for against what is measured, with the window of the attack shaded. */
export function EffectChart({ teamId, attack }: { teamId: string; attack: Attack }) {
  const { api } = useApp()
  const over = isOver(attack)
  const { data, refetch } = useQuery(metricsQuery(api, teamId, attack.guid, !over && everyMs))
  const wasOver = useRef(over)
  useEffect(() => {
    // The last measurements come with the end.
    if (over && !wasOver.current) void refetch()
    wasOver.current = over
  }, [over, refetch])
  const lines = data?.lines.filter(({ series }) => series.length > 0) ?? []
  if (!data || lines.length === 0) return null
  return (
    <section aria-label="Measured effect">
      <Title order={2} mb="xs">
        {`${data.chartTitle} (${unitOf(data)})`}
      </Title>
      <LiveChart
        label={`${data.chartTitle}, asked against measured`}
        unit={unitOf(data)}
        window={[data.attackRange.start, data.attackRange.end]}
        lengthSeconds={attack.length_seconds}
        lines={lines.map(({ name, requested, series }) => ({
          name,
          asked: requested,
          points: series,
        }))}
      />
    </section>
  )
}

function unitOf({ unit }: Metrics): string {
  return unit === 'percent_of_capacity' ? '%' : unit.replaceAll('_', ' ')
}
