const daySeconds = 86_400

/** How long a key may live, as a choice: the value is seconds, or `never`. */
export interface Lifetime {
  readonly value: string
  readonly label: string
}

const usual = [7, 30, 90, 365]

/** The choices where a company limits keys to so many seconds; undefined for no limit. */
export function lifetimes(limitSeconds: number | undefined): Lifetime[] {
  const days = usual
    .filter((one) => limitSeconds === undefined || one * daySeconds < limitSeconds)
    .map((one) => ({ value: String(one * daySeconds), label: `In ${one} days` }))
  if (limitSeconds === undefined) return [...days, { value: 'never', label: 'Never' }]
  // A minute less: the request takes its time.
  const most = String(Math.max(limitSeconds - 60, Math.floor(limitSeconds / 2)))
  return [...days, { value: most, label: 'As late as your company allows' }]
}

/** The moment that a choice means; undefined for never. */
export function endOf(choice: string, nowMs: number): string | undefined {
  return choice === 'never' ? undefined : new Date(nowMs + Number(choice) * 1000).toISOString()
}
