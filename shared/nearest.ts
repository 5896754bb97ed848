/** The candidate that differs from `word` by the fewest edits, if by at most a third of its length. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const start = word.slice(0, 64)
  const limit = Math.max(1, Math.floor(start.length / 3))
  let best: { candidate: string; edits: number } | undefined
  for (const candidate of candidates) {
    const edits = editDistance(start, candidate)
    if (edits <= limit && (!best || edits < best.edits)) best = { candidate, edits }
  }
  return best?.candidate
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replace = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replace, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
