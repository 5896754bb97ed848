import type { CliIo } from './io.ts'

/** Input and output for tests: what a command said, as text. */
export interface FakeIo extends CliIo {
  readonly out: string[]
  readonly err: string[]
}

/** An io that is no terminal and keeps every line. */
export function fakeIo(env: NodeJS.ProcessEnv = {}, overrides: Partial<CliIo> = {}): FakeIo {
  const out: string[] = []
  const err: string[] = []
  return {
    env,
    stdin: process.stdin,
    stderr: process.stderr,
    closed: new AbortController().signal,
    json: false,
    isTerminal: false,
    print: (line) => void out.push(line),
    say: (line) => void err.push(line),
    draw: (text) => void err.push(text),
    paint: (_style, text) => text,
    columns: 80,
    ...overrides,
    out,
    err,
  }
}
