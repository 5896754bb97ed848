import { timestamp } from '../../shared/api/timestamp.ts'
import type { AuditEvent } from './audit.ts'

/** How many refusals of one caller (or of all who are nobody) are told one by one. */
export interface RefusalLimit {
  readonly burst: number
  /** One more after each such time. */
  readonly everyMs: number
  /** Those beyond are counted, and the counts recorded this often. */
  readonly countMs: number
}

export const usualRefusals: RefusalLimit = { burst: 120, everyMs: 30_000, countMs: 60_000 }

/** Refusals cost nothing to provoke, so that a flood of them must not fill the audit or wash it away. */
export interface ManyRefusals {
  /** The refusal itself, or undefined when it is counted only. */
  take(event: AuditEvent): AuditEvent | undefined
  /** What was counted since the last time, one event for each kind. */
  counted(): AuditEvent[]
}

interface Caller {
  left: number
  sinceMs: number
  readonly counts: Map<string, Count>
}

interface Count {
  readonly first: AuditEvent
  readonly sinceMs: number
  times: number
  readonly names: Map<string, number>
  readonly addresses: Map<string, number>
}

/** Names and addresses that one count tells apart. */
const namesLimit = 20

/** Makes the counter of refusals. */
export function createManyRefusals({ burst, everyMs }: RefusalLimit): ManyRefusals {
  const callers = new Map<string, Caller>()
  const callerOf = (event: AuditEvent, nowMs: number): Caller => {
    const isKnown = ['user', 'key'].includes(event.actor.kind)
    const id = `${event.companyId} ${isKnown ? event.actor.id : ''}`
    const caller = callers.get(id) ?? { left: burst, sinceMs: nowMs, counts: new Map() }
    callers.set(id, caller)
    refill(caller, nowMs)
    return caller
  }
  const refill = (caller: Caller, nowMs: number) => {
    const gained = Math.floor((nowMs - caller.sinceMs) / everyMs)
    caller.left = Math.min(burst, caller.left + gained)
    caller.sinceMs += gained * everyMs
  }
  return {
    take(event) {
      const nowMs = Date.now()
      const caller = callerOf(event, nowMs)
      if (caller.left > 0) {
        caller.left -= 1
        return event
      }
      const kind = `${event.action} ${event.code}`
      const count = caller.counts.get(kind) ?? newCount(event, nowMs)
      caller.counts.set(kind, count)
      count.times += 1
      add(count.names, event.actor.name)
      add(count.addresses, event.from ?? 'unknown')
      return undefined
    },
    counted() {
      const nowMs = Date.now()
      const events: AuditEvent[] = []
      for (const [id, caller] of callers) {
        events.push(...[...caller.counts.values()].map(toEvent))
        caller.counts.clear()
        refill(caller, nowMs)
        if (caller.left === burst) callers.delete(id)
      }
      return events
    },
  }
}

function newCount(first: AuditEvent, sinceMs: number): Count {
  return { first, sinceMs, times: 0, names: new Map(), addresses: new Map() }
}

function add(counts: Map<string, number>, name: string): void {
  const isNew = !counts.has(name)
  const key = isNew && counts.size >= namesLimit ? 'others' : name
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function toEvent({ first, sinceMs, times, names, addresses }: Count): AuditEvent {
  const isOne = names.size === 1
  return {
    ...first,
    actor: isOne ? first.actor : { kind: first.actor.kind, id: null, name: '(several)' },
    from: addresses.size === 1 ? first.from : undefined,
    target: undefined,
    detail: {
      times,
      since: timestamp(sinceMs),
      names: Object.fromEntries(names),
      addresses: Object.fromEntries(addresses),
    },
  }
}
