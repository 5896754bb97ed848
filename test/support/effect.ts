import type { Execution } from '../../shared/api/records.ts'
import { elapse } from './until.ts'

/** What was asked of an execution and what the agent measured, in percent of the capacity. */
export function effectOf(execution: Execution | undefined): { asked: number; offBy: number } {
  const { requested, measured } = execution ?? {}
  if (!requested || !measured) throw new Error(`No effect: ${JSON.stringify(execution ?? null)}`)
  if (requested.metric !== measured.metric || requested.unit !== measured.unit)
    throw new Error(`Not comparable: ${JSON.stringify({ requested, measured })}`)
  return { asked: requested.value, offBy: Math.abs(measured.value - requested.value) }
}

/** How much a counter of CPU seconds grows per second, over the given time. */
export async function cpuRate(counter: () => number, seconds: number): Promise<number> {
  const before = { at: performance.now(), used: counter() }
  await elapse(seconds * 1000)
  return ((counter() - before.used) * 1000) / (performance.now() - before.at)
}

/** The stages that the agent or the controller noted, in the order in which they are listed. */
export function stagesOf(states: Execution['client_states']): string[] {
  return states.map((state) => state.stage)
}

/** Whether no time is earlier than the one before it. */
export function inOrder(states: Execution['client_states']): boolean {
  return states.every(
    (state, index) => index === 0 || state.timestamp >= (states[index - 1]?.timestamp ?? ''),
  )
}

/** Seconds between two stages. */
export function between(states: Execution['client_states'], from: string, to: string): number {
  const at = (stage: string) =>
    Date.parse(states.find((state) => state.stage === stage)?.timestamp ?? '')
  return (at(to) - at(from)) / 1000
}
