import type { Effect } from '../../shared/effect.ts'
import type { FaultHandle } from './fault.ts'

/** What is measured of a shutdown that happened. */
export function onceDone(detail: Record<string, number>): Effect {
  return { metric: 'shutdown', value: 1, unit: 'times', detail }
}

/** The handle of something that is only waited for. */
export function waiting(
  handle: Required<Pick<FaultHandle, 'announcement' | 'strike'>> & { stop?: FaultHandle['stop'] },
): FaultHandle {
  return {
    measure: () => undefined,
    stop: () => Promise.resolve(),
    died: new Promise(() => undefined),
    ...handle,
  }
}
