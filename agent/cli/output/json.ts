import type { CliIo } from './io.ts'

/** Prints the result of a command: as JSON with `--json`, else as the lines that `text` makes. */
export function printResult(io: CliIo, value: unknown, text: () => string | string[]): void {
  if (io.json) {
    io.print(JSON.stringify(value, null, 2))
    return
  }
  const lines = text()
  io.print(Array.isArray(lines) ? lines.join('\n') : lines)
}
