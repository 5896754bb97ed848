import type { AgentMessage } from '../proto/gen/temblor/agent/v1/AgentMessage.ts'
import { formatArgs } from '../shared/attacks/args.ts'
import { findAttackType } from '../shared/attacks/index.ts'
import type { ExecutionUpdate } from './execution-update.ts'
import type { JournalEntry } from './journal.ts'

/** An update as it goes over the wire now. */
export function updateMessage(update: ExecutionUpdate): AgentMessage {
  return {
    executionUpdate: {
      executionId: update.executionId,
      generation: update.generation,
      seq: update.seq,
      stage: update.stage,
      reason: update.reason ?? '',
      message: update.message,
      ageMs: Math.max(0, Math.round(performance.now() - update.atMs)),
      requestedJson: update.requested ? JSON.stringify(update.requested) : '',
      measuredJson: update.measured ? JSON.stringify(update.measured) : '',
      backend: update.backend ?? '',
    },
  }
}

/** Tells of an attack that somebody started on this host; undefined when it is of no known type. */
export function manualAttackMessage(entry: JournalEntry): AgentMessage | undefined {
  const type = findAttackType(entry.attackType)
  if (!type) return undefined
  const { container } = entry
  return {
    manualAttack: {
      attackId: entry.attackId,
      executionId: entry.executionId,
      attackType: type.type,
      args: formatArgs(type, entry.params),
      lengthMs: type.lengthSeconds(entry.params as never) * 1000,
      container: container ? { id: container.id, name: container.name } : null,
      ageMs: Math.max(0, Date.now() - entry.changedAtMs),
    },
  }
}
