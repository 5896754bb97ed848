/** The keys and values of `key=value` texts; a key that comes twice has both. Others are left out. */
export function readPairs(pairs: readonly string[]): Record<string, string[]> {
  // No names from birth: a tag may be called `constructor`.
  const read = Object.create(null) as Record<string, string[]>
  for (const pair of pairs.filter(isPair)) {
    const at = pair.indexOf('=')
    const [key, value] = [pair.slice(0, at), pair.slice(at + 1)]
    read[key] = [...new Set([...(read[key] ?? []), value])]
  }
  return read
}

/** Whether it is `key=value`. */
export function isPair(text: string): boolean {
  return text.indexOf('=') > 0
}

/** The pairs with one value each, or undefined when a key has several. */
export function singleValued(
  pairs: Readonly<Record<string, readonly string[]>>,
): Record<string, string> | undefined {
  const entries = Object.entries(pairs)
  if (entries.some(([, values]) => values.length !== 1)) return undefined
  return Object.fromEntries(entries.map(([key, values]) => [key, values[0] ?? '']))
}

/** `key=value` texts of what `readPairs` gives. */
export function formatPairs(pairs: Readonly<Record<string, string | readonly string[]>>): string[] {
  return Object.entries(pairs).flatMap(([key, values]) =>
    [values].flat().map((value) => `${key}=${value}`),
  )
}
