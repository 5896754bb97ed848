/** One line of a chart: what was measured, and what had been asked for. */
export interface ChartLine {
  readonly name: string
  readonly asked: number | null
  readonly points: readonly { readonly timestamp: string; readonly value: number }[]
}

type Column = (number | null)[]

const second = (timestamp: string) => Math.round(Date.parse(timestamp) / 1000)

/**
 * The lines over one axis of time, as uPlot takes them: seconds of the epoch, then for each line what was
 * measured and what was asked. Measurements of one second count as simultaneous.
 */
export function alignPoints(lines: readonly ChartLine[]): [number[], ...Column[]] {
  const byLine = lines.map(
    ({ points }) => new Map(points.map((point) => [second(point.timestamp), point.value])),
  )
  const times = [...new Set(byLine.flatMap((points) => [...points.keys()]))].sort((a, b) => a - b)
  const columns = lines.flatMap(({ asked }, index) => [
    times.map((time) => byLine[index]?.get(time) ?? null),
    times.map((time) => (byLine[index]?.has(time) ? asked : null)),
  ])
  return [times, ...columns]
}
