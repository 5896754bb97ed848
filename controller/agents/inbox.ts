import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentMessage__Output } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import { isStorageError } from '../store/redis.ts'

/** While storage is away a message is tried this often. */
const retryMs = 500
/** With so many waiting, no more are read: the rest waits in the agent's own outbox and in its connection. */
const most = 256

export interface InboxDeps {
  /** @throws Error when storage is away */
  handle(message: AgentMessage__Output): Promise<void>
  /** What cannot be handled at all ends the session. */
  onFailure(error: unknown): void
  readonly isOver: () => boolean
  /** Whether it may be on its way to storage while others are; these keep their order by themselves. */
  isGathered(message: AgentMessage__Output): boolean
  /** Whether so much waits for storage that this agent should wait, too. */
  readonly isCrowded: () => boolean
}

/**
 * Handles what an agent says in its order. While storage is away it waits here and is tried again: the session
 * stays, and nothing is lost. Of inventories, which may be large, only the newest waits. It gives a promise when no
 * more may be read before that is kept.
 */
export function createInbox(
  deps: InboxDeps,
): (message: AgentMessage__Output) => Promise<unknown> | undefined {
  let last: Promise<unknown> = Promise.resolve()
  let lastAlone = last
  let waiting = 0
  let inventory: AgentMessage__Output | undefined
  const take = async (message: AgentMessage__Output): Promise<void> => {
    try {
      while (!(await isHandled(deps, message))) await sleep(retryMs, undefined, { ref: false })
    } catch (error) {
      deps.onFailure(error)
    } finally {
      waiting -= 1
    }
  }
  const takeInventory = async (): Promise<void> => {
    const newest = inventory
    inventory = undefined
    if (newest) await take(newest)
  }
  return (message) => {
    const isInStead = message.inventory && inventory
    if (message.inventory) inventory = message
    if (isInStead) return undefined
    waiting += 1
    if (deps.isGathered(message)) {
      last = Promise.all([last, lastAlone.then(() => take(message))])
    } else {
      last = last.then(() => (message.inventory ? takeInventory() : take(message)))
      lastAlone = last
    }
    return waiting >= most || deps.isCrowded() ? last : undefined
  }
}

async function isHandled(deps: InboxDeps, message: AgentMessage__Output): Promise<boolean> {
  try {
    await deps.handle(message)
    return true
  } catch (error) {
    // An agent that is gone says it again over its next session.
    if (deps.isOver() || !isStorageError(error)) throw error
    return false
  }
}
