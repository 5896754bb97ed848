import type { Effect, History, Outage, Request } from '../history.ts'

/** What must not have happened, and the few events that prove it. */
export interface Violation {
  readonly invariant: string
  readonly what: string
  readonly events: readonly string[]
}

/** One sentence that must be true of every history. */
export interface Invariant {
  readonly name: string
  check(history: History): { what: string; events: string[] }[]
}

const at = (ms: number | undefined) => (ms === undefined ? 'never' : `${(ms / 1000).toFixed(3)} s`)

/** An event as one line, with its times. */
export function tell(event: Effect | Outage | Request): string {
  const times = `${at(event.begin)} to ${at(event.end)}`
  if ('part' in event) return `${times}: ${event.part}: ${event.kind}`
  if ('kind' in event) return `${times}: ${tellRequest(event)} answered ${event.status || 'never'}`
  const { execution, attack, host, lengthMs } = event
  return `${times}: effect of ${execution} (attack ${attack}, ${lengthMs / 1000} s) on ${host}`
}

function tellRequest(request: Request): string {
  if (request.kind === 'create') {
    const whom = request.hosts ? request.hosts.join(', ') : `${request.count} at random`
    return `create for ${request.team} on ${whom}, key ${request.key ?? 'none'}: ${request.attack ?? 'no id'},`
  }
  if (request.kind === 'halt') return `halt of ${request.attack ?? `everything of ${request.team}`}`
  if (request.kind !== 'read') return `${request.kind} ${request.host}`
  const rows = request.executions.map(({ id, stage, reason }) => `${id} ${stage} ${reason}`)
  return `read of ${request.attack} (${rows.join('; ')})`
}
