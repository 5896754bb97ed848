/** Days, as 2030-01-31; both included. */
export interface Days {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Days of the reader as moments; the end is not included. */
export function periodOf({ from, to }: Days): { start?: string; end?: string } {
  return {
    ...(from === undefined ? {} : { start: new Date(`${from}T00:00`).toISOString() }),
    ...(to === undefined ? {} : { end: dayAfter(to).toISOString() }),
  }
}

function dayAfter(day: string): Date {
  const next = new Date(`${day}T00:00`)
  next.setDate(next.getDate() + 1)
  return next
}

/** Whether it is a day as it stands in an address. */
export function isDay(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\d$/.test(value) &&
    Number.isFinite(Date.parse(`${value}T00:00`))
  )
}
