import { isatty } from 'node:tty'
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Where a command reads and writes; passed in, so that tests can look at what it said. */
export interface CliIo {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: NodeJS.ReadStream
  /** Where questions are asked. */
  readonly stderr: NodeJS.WritableStream
  /** Aborted when nobody reads stdout any more: what goes on and on ends then. */
  readonly closed: AbortSignal
  /** `--json`: stdout carries one JSON document and nothing else. Set before the command runs. */
  json: boolean
  /** stderr is a terminal, so that progress may redraw lines. */
  readonly isTerminal: boolean
  /** Writes a line of the result to stdout. */
  print(line: string): void
  /** Writes a line of talk (progress, hints, warnings) to stderr. */
  say(line: string): void
  /** Writes to stderr without a line end; for redrawing on a terminal. */
  draw(text: string): void
  /** Colours text for stdout or stderr; returns it bare when NO_COLOR is set or no terminal listens. */
  paint(style: Style, text: string): string
  /** Width of the terminal in columns. */
  readonly columns: number
}

/** The input and output of this process. */
export function processIo(): CliIo {
  const { stdout, stderr, env } = process
  const isTerminal = isatty(2)
  const colour = isTerminal && isatty(1) && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const closed = new AbortController()
  for (const stream of [stdout, stderr]) stream.on('error', ignoreClosedPipe)
  stdout.on('error', () => closed.abort())
  const io: CliIo = {
    env,
    stdin: process.stdin,
    stderr,
    closed: closed.signal,
    json: false,
    isTerminal,
    // JSON is for programs, which get every character.
    print: (line) => void stdout.write(`${io.json ? line : harmless(line)}\n`),
    say: (line) => void stderr.write(`${harmless(line)}\n`),
    draw: (text) => void stderr.write(text),
    paint: (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text),
    columns: stderr.columns || 80,
  }
  return io
}

/**
 * The text without control characters but ends of lines, tabs and colours: names and reasons are chosen by others,
 * and a terminal must not obey them.
 */
export function harmless(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t](?:\[[\d;]{0,20}m)?/gu, (found) =>
    found.startsWith('\u001B[') ? found : `\u{FFFD}${found.slice(1)}`,
  )
}

/** `temblor attack list | head -1` must not end in a stack trace. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
