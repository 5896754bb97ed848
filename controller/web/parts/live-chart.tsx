import { Box, useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { alignPoints, type ChartLine } from './chart-data.ts'

interface LiveChartProps {
  readonly lines: readonly ChartLine[]
  /** When the attack began and, once it has, ended; shaded. */
  readonly window: readonly [start: string, end: string | null]
  /** How long it was to last: the axis of time shows at least that. */
  readonly lengthSeconds: number
  readonly unit: string
  /** What it shows, for those who do not see it. */
  readonly label: string
}

const heightPx = 220
/** With a contrast of at least 3 on the ground of each scheme (WCAG 2.2, 1.4.11). */
const colours = {
  light: ['#3b5bdb', '#d9480f', '#2b8a3e', '#ae3ec9', '#0b7285', '#a61e4d'],
  dark: ['#91a7ff', '#ff922b', '#69db7c', '#e599f7', '#3bc9db', '#faa2c1'],
}

/** Measured lines over time, with what was asked for as a dashed line. */
export function LiveChart(props: LiveChartProps) {
  const { lines, window, lengthSeconds, unit, label } = props
  const { ref: place, width } = useElementSize()
  const canvas = useRef<HTMLDivElement>(null)
  const isDark = useComputedColorScheme('light') === 'dark'
  const chart = useRef<{ readonly made: string; readonly plot: UPlot }>(undefined)
  useEffect(() => {
    if (!canvas.current || width === 0) return
    const names = lines.map(({ name }) => name)
    const look = { names, unit, isDark, window, lengthSeconds }
    // New measurements go into the chart that is there.
    const made = JSON.stringify([look, width])
    if (chart.current?.made === made) {
      chart.current.plot.setData(alignPoints(lines))
      return
    }
    chart.current?.plot.destroy()
    const options = { ...optionsFor(look), width, height: heightPx }
    chart.current = { made, plot: new UPlot(options, alignPoints(lines), canvas.current) }
  }, [lines, window, lengthSeconds, unit, isDark, width])
  useEffect(
    () => () => {
      chart.current?.plot.destroy()
      chart.current = undefined
    },
    [],
  )
  return (
    <Box ref={place} role="img" aria-label={label}>
      <div ref={canvas} />
    </Box>
  )
}

interface Look extends Pick<LiveChartProps, 'window' | 'lengthSeconds' | 'unit'> {
  readonly names: readonly string[]
  readonly isDark: boolean
}

function optionsFor({
  names,
  unit,
  isDark,
  window,
  lengthSeconds,
}: Look): Omit<UPlot.Options, 'width' | 'height'> {
  const ink = isDark ? '#c9cdd2' : '#495057'
  const grid = { stroke: isDark ? '#373a40' : '#e9ecef', width: 1 }
  const axis = { stroke: ink, grid, ticks: grid }
  return {
    // What was asked is dashed there, too.
    legend: {
      live: false,
      markers: { dash: (_, index) => (index % 2 === 0 ? 'dashed' : 'solid') },
    },
    cursor: { drag: { x: false, y: false } },
    scales: {
      x: { range: (_plot, low, high) => timeRange(window[0], lengthSeconds, low, high) },
      y: { range: (_plot, _low, high) => [0, (high || 1) * 1.15] },
    },
    axes: [
      { ...axis, space: 80, incrs: timeSteps, values: (_, marks) => marks.map(clock) },
      { ...axis, size: 64, values: (_, marks) => marks.map((mark) => `${mark} ${unit}`) },
    ],
    series: [{}, ...names.flatMap((name, index) => seriesOf(name, index, isDark))],
    hooks: { drawClear: [(plot) => shade(plot, window, isDark)] },
  }
}

const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600]

function clock(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB')
}

/** The whole length of the attack, and what was measured around it. */
function timeRange(
  start: string,
  lengthSeconds: number,
  low: number | null,
  high: number | null,
): [number, number] {
  const from = Date.parse(start) / 1000
  return [Math.min(from, low ?? from) - 1, Math.max(from + lengthSeconds, high ?? from) + 1]
}

/** Measured, and asked. */
function seriesOf(name: string, index: number, isDark: boolean): UPlot.Series[] {
  const palette = isDark ? colours.dark : colours.light
  const line = {
    stroke: palette[index % palette.length] as string,
    points: { show: false },
    spanGaps: true,
  }
  return [
    { ...line, label: name, width: 2 },
    { ...line, label: `${name}, asked`, width: 1, dash: [6, 4] },
  ]
}

function shade(plot: UPlot, [start, end]: LiveChartProps['window'], isDark: boolean): void {
  const { ctx, bbox } = plot
  const at = (iso: string) => plot.valToPos(Date.parse(iso) / 1000, 'x', true)
  const right = bbox.left + bbox.width
  const from = Math.max(bbox.left, at(start))
  const to = end === null ? right : Math.min(right, at(end))
  if (!(to > from)) return
  ctx.fillStyle = isDark ? 'rgba(255, 255, 255, 0.06)' : 'rgba(0, 0, 0, 0.05)'
  ctx.fillRect(from, bbox.top, to - from, bbox.height)
}
