const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** How long ago, for people: "3 minutes ago", "in 2 days". */
export function relativeWords(epochMs: number, nowMs: number): string {
  const seconds = Math.round((epochMs - nowMs) / 1000)
  const size = Math.abs(seconds)
  // Clocks of server and browser are not the same: a second of the future is now.
  if (size < 5) return 'now'
  for (const [unit, length] of units)
    if (size >= length) return relative.format(Math.trunc(seconds / length), unit)
  return relative.format(seconds, 'second')
}

/** A length of time: "45 s", "2 min 5 s", "1 h 30 min". */
export function lengthWords(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [h, min, s] = [Math.trunc(whole / 3600), Math.trunc((whole % 3600) / 60), whole % 60]
  if (h > 0) return min > 0 ? `${h} h ${min} min` : `${h} h`
  if (min > 0) return s > 0 ? `${min} min ${s} s` : `${min} min`
  return `${s} s`
}

/** The exact time in the zone of the reader, with the zone. */
export function exactWords(iso: string): string {
  return new Date(iso).toLocaleString('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'long',
  })
}
