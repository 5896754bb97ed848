/** The middle, the rare and the worst of a number of measurements. */
export interface Spread {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** @throws Error when there is nothing to summarise */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
  const [p50, p95, p99, max] = [at(0.5), at(0.95), at(0.99), sorted.at(-1)]
  if (p50 === undefined || p95 === undefined || p99 === undefined || max === undefined)
    throw new Error('There is no measurement.')
  return { p50, p95, p99, max }
}

/** A number with as many decimals as say something. */
export function decimal(value: number, digits = 1): string {
  return value.toFixed(digits)
}

/** `1.9x`. */
export function ratio(value: number, floor: number): string {
  return `${(value / floor).toFixed(floor > value ? 2 : 1)}x`
}

/** A goal beside its figure. */
export function goal(text: string, isMet: boolean): string {
  return `${text} ${isMet ? 'met' : 'MISSED'}`
}
