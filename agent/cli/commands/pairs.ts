import { CliError, exitCodes } from '../exit-codes.ts'

/** Reads `key=value` texts; a key that comes twice has both values. @throws CliError for another form */
export function readPairs(option: string, pairs: readonly string[] = []): Record<string, string[]> {
  const read: Record<string, string[]> = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1)
      throw new CliError(`${option} cannot be "${pair}". Write it as key=value.`, exitCodes.usage)
    const key = pair.slice(0, at)
    read[key] = [...new Set([...(read[key] ?? []), pair.slice(at + 1)])]
  }
  return read
}

/** The pairs with one value each, or undefined when a key has several. */
export function singleValued(
  pairs: Readonly<Record<string, readonly string[]>>,
): Record<string, string> | undefined {
  const entries = Object.entries(pairs)
  if (entries.some(([, values]) => values.length !== 1)) return undefined
  return Object.fromEntries(entries.map(([key, values]) => [key, values[0] as string]))
}
