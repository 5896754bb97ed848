import type { CliIo } from './io.ts'

/** One target while an attack runs. */
export interface ProgressRow {
  readonly name: string
  readonly stage: string
  /** Share of the length that is over, from 0 to 1. */
  readonly fraction: number
  /** What to show beside the bar: seconds left, what was measured. */
  readonly note: string
}

export interface Progress {
  /** Shows the state of all targets; call it as often as you like. */
  update(rows: readonly ProgressRow[]): void
  /** Leaves the last state on the screen. */
  finish(): void
}

const barWidth = 20

/** A bar for each target, redrawn, on a terminal; elsewhere one line for each change of stage. */
export function createProgress(io: CliIo): Progress {
  return io.isTerminal && !io.json ? redrawn(io) : linePerChange(io)
}

function redrawn(io: CliIo): Progress {
  let drawnLines = 0
  return {
    update(rows) {
      const nameWidth = Math.max(0, ...rows.map((row) => row.name.length))
      const lines = rows.map((row) => barLine(row, nameWidth).slice(0, io.columns - 1))
      const up = drawnLines > 0 ? `\u001B[${drawnLines}A` : ''
      io.draw(`${up}${lines.map((line) => `\u001B[2K${line}\n`).join('')}`)
      drawnLines = lines.length
    },
    finish() {
      drawnLines = 0
    },
  }
}

function linePerChange(io: CliIo): Progress {
  const shown = new Map<string, string>()
  return {
    update(rows) {
      for (const row of rows) {
        if (shown.get(row.name) === row.stage) continue
        shown.set(row.name, row.stage)
        io.say(`${row.name}: ${row.stage}${row.note ? ` (${row.note})` : ''}`)
      }
    },
    finish() {
      shown.clear()
    },
  }
}

/** Names and notes are chosen by others: a control character in them would be obeyed, and a new line spoil the bars. */
function barLine(row: ProgressRow, nameWidth: number): string {
  const full = Math.round(Math.min(1, Math.max(0, row.fraction)) * barWidth)
  const bar = '#'.repeat(full) + '-'.repeat(barWidth - full)
  const line = `${row.name.padEnd(nameWidth)}  [${bar}]  ${row.stage.padEnd(12)}  ${row.note}`
  return line.replaceAll(/\p{Cc}/gu, '\u{FFFD}')
}
