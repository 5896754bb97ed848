/** A point of a measured series. */
export interface ChartPoint {
  /** Epoch ms. */
  readonly atMs: number
  readonly value: number
}

interface ChartOptions {
  readonly points: readonly ChartPoint[]
  /** What was asked for: a line across the chart. */
  readonly requested: number | null
  readonly unit: string
  /** Width of the screen in columns. */
  readonly columns: number
}

const rowCount = 8
const widest = 60
/** Eighths of a cell, from nothing to full. */
const blocks = ' ▁▂▃▄▅▆▇█'

/** Draws a series as text: a column for each moment, and a dashed line for what was asked. */
export function chartLines({ points, requested, unit, columns }: ChartOptions): string[] {
  const first = points[0]
  const last = points.at(-1)
  if (!first || !last) return ['Nothing was measured.']
  const top = niceTop(Math.max(requested ?? 0, ...points.map((point) => point.value)))
  const axis = [top.toFixed(1), '0.0'].map((text) => text.padStart(8))
  const note = requested === null ? '' : ` ╌ asked ${requested.toFixed(1)}`
  const width = Math.max(1, Math.min(widest, points.length, columns - 11 - note.length))
  const values = resample(points, width)
  const requestedRow = requested === null ? -1 : Math.ceil((requested / top) * rowCount) - 1
  const rows = Array.from({ length: rowCount }, (_, index) => {
    const row = rowCount - 1 - index
    const cells = values.map((value) => cellOf(value, top, row, row === requestedRow))
    const label = row === rowCount - 1 ? axis[0] : ' '.repeat(8)
    return `${label} │${cells.join('')}${row === requestedRow ? note : ''}`.trimEnd()
  })
  const seconds = ((last.atMs - first.atMs) / 1000).toFixed(0)
  return [
    ...rows,
    `${axis[1]} └${'─'.repeat(width)}`,
    `${' '.repeat(10)}${points.length} values over ${seconds} s, in ${unit}`,
  ]
}

function cellOf(value: number, top: number, row: number, isRequested: boolean): string {
  const eighths = Math.round(((value / top) * rowCount - row) * 8)
  const cell = blocks[Math.min(8, Math.max(0, eighths))] ?? ' '
  return cell === ' ' && isRequested ? '╌' : cell
}

/** The mean of what falls into each column. */
function resample(points: readonly ChartPoint[], width: number): number[] {
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * points.length) / width)
    const to = Math.max(from + 1, Math.floor(((column + 1) * points.length) / width))
    const part = points.slice(from, to)
    return part.reduce((sum, { value }) => sum + value, 0) / part.length
  })
}

/** A round number that nothing rises above. */
function niceTop(most: number): number {
  if (most <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= most) ?? 10) * power
}
