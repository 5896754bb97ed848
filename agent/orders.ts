import type { Run__Output } from '../proto/gen/temblor/agent/v1/Run.ts'
import type { RunOrder } from './execution-update.ts'

/** Reads an order off the wire; what its parameters mean is checked when it starts. */
export function readOrder(run: Run__Output): RunOrder {
  const { executionId, generation, attackId, attackType, container } = run
  return {
    executionId,
    generation,
    attackId,
    attackType,
    params: parseParams(run.paramsJson),
    local: false,
    ...(container ? { container: { id: container.id, name: container.name } } : {}),
  }
}

function parseParams(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // Refused as an invalid argument, like every value that is not what it should be.
    return undefined
  }
}

/** Heartbeats of which the time is remembered: more than a controller can be behind. */
const rememberedHeartbeats = 200

/**
 * Bounds the age of orders without trusting any clock but our own that nobody sets: a message that
 * names heartbeat n was sent after we sent n. Number 0 is the Hello. An order may wait for a machine
 * that is suspended, so times are of a clock that goes on meanwhile.
 */
export class AgeGuard {
  readonly #sentAtMs = new Map<number, number>()

  sent(heartbeat: number, nowMs: number): void {
    this.#sentAtMs.set(heartbeat, nowMs)
    const [oldest] = this.#sentAtMs.keys()
    if (oldest !== undefined && this.#sentAtMs.size > rememberedHeartbeats)
      this.#sentAtMs.delete(oldest)
  }

  /** Whether an order is too old to start; one heartbeat of doubt is in its favour. */
  isTooLate(
    order: { readonly heartbeatSeen: number; readonly startWithinMs: number },
    heartbeatMs: number,
    nowMs: number,
  ): boolean {
    const sentAtMs = this.#sentAtMs.get(order.heartbeatSeen) ?? this.#sentAtMs.get(0) ?? nowMs
    return nowMs - sentAtMs > order.startWithinMs + heartbeatMs
  }
}
