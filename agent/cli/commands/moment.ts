import { CliError, exitCodes } from '../exit-codes.ts'

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A moment to come, `90d` (from now) or ISO 8601, as ISO 8601. @throws CliError for another form */
export function readComing(option: string, text: string, nowMs: number): string {
  const isSpan = /^\d{1,6}[smhd]$/.test(text)
  const moment = readMoment(option, text, nowMs)
  return isSpan ? new Date(2 * nowMs - Date.parse(moment)).toISOString() : moment
}

/** A time as people write it, `1h` (ago) or ISO 8601, as ISO 8601. @throws CliError for another form */
export function readMoment(option: string, text: string, nowMs: number): string {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const epochMs =
    amount === undefined
      ? Date.parse(/^\d{4}-/.test(text) ? text : '')
      : nowMs - Number(amount) * unitMs[unit as keyof typeof unitMs]
  if (Number.isFinite(epochMs)) return new Date(epochMs).toISOString()
  throw new CliError(
    `${option} cannot be "${text}". Write it as 90s, 30m, 1h, 2d or 2026-11-20T08:00:00Z.`,
    exitCodes.usage,
  )
}
