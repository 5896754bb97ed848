/** `--json` of every command. */
export const json = ['--json', 'print the result as JSON'] as const

/** What of `--json` was said. */
export interface OutputOptions {
  readonly json?: boolean
}

/** Prints a result as JSON, or as one `name: value` a line. */
export async function run(
  options: OutputOptions,
  work: () => Promise<Record<string, unknown>>,
): Promise<void> {
  const result = await work()
  const text = options.json
    ? JSON.stringify(result, null, 2)
    : Object.entries(result)
        .map(([name, value]) => `${name}: ${inWords(value)}`)
        .join('\n')
  process.stdout.write(`${text}\n`)
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(inWords).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  const facts = Object.entries(value).filter(([, one]) => [one].flat().length > 0)
  return facts.map(([name, one]) => `${name} ${inWords(one)}`).join('; ')
}
