import type { Execution } from '../../shared/api/records.ts'
import { elapse } from './until.ts'

/** Points of the capacity by which the effect may differ from what was asked. */
const tolerance = 3
/**
 * The same where other processes left so little CPU that nobody could burn as much as asked: a group of control
 * gets one share, and each process beside it another.
 */
const toleranceWhenShort = 50

type Effects = Pick<Execution, 'requested' | 'measured'>

/** An effect as asked and as the agent measured it, in percent of the capacity. */
export interface JudgedEffect {
  readonly asked: number
  readonly measured: number
  /** Within the tolerance; on a machine that is busy otherwise, only too little is forgiven. */
  readonly isAsAsked: boolean
  /** By how many points what is seen from outside, over a part of the time, may differ from what was asked. */
  readonly tolerance: number
}

/** What was asked of an execution beside what the agent measured. */
export function effectOf(execution: Partial<Effects> | undefined): JudgedEffect {
  const { requested, measured } = execution ?? {}
  if (!requested || !measured) throw new Error(`No effect: ${JSON.stringify(execution ?? null)}`)
  if (requested.metric !== measured.metric || requested.unit !== measured.unit)
    throw new Error(`Not comparable: ${JSON.stringify({ requested, measured })}`)
  const { free_cores: free = 0, load_cores: load = 0 } = measured.detail
  const isShort = free < 1.5 * load
  const missing = requested.value - measured.value
  const forgiven = isShort ? toleranceWhenShort : tolerance
  const isAsAsked = missing >= -tolerance && missing <= forgiven
  return { asked: requested.value, measured: measured.value, isAsAsked, tolerance: forgiven }
}

/** How much a counter of CPU seconds grows per second, over the given time. */
export async function cpuRate(counter: () => number, seconds: number): Promise<number> {
  const before = { at: performance.now(), used: counter() }
  await elapse(seconds * 1000)
  return ((counter() - before.used) * 1000) / (performance.now() - before.at)
}

/**
 * The same as it mostly is: the middle one of three windows. A burner that could not run for a moment makes up for it, so
 * that one window has too little and the same or the next one too much.
 */
export async function usualCpuRate(counter: () => number, secondsOfEach: number): Promise<number> {
  const rates: number[] = []
  while (rates.length < 3) rates.push(await cpuRate(counter, secondsOfEach))
  return rates.toSorted((a, b) => a - b)[1] as number
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

/** When a stage was reached, epoch ms. */
export function momentOf(states: Execution['client_states'], stage: string): number {
  return Date.parse(states.find((state) => state.stage === stage)?.timestamp ?? '')
}

/** Seconds between two stages. */
export function between(states: Execution['client_states'], from: string, to: string): number {
  return (momentOf(states, to) - momentOf(states, from)) / 1000
}
