import type { Effect } from '../../shared/effect.ts'
import { groupCpuSeconds, hostCores, type CpuGroups } from '../host/control-groups.ts'
import { cpuSeconds, hostBusySeconds } from '../host/processes.ts'
import type { Measurement } from './fault.ts'
import type { BurnerUsage } from './cpu-burner-process.ts'

/** What is read at one moment, all in seconds. */
interface Reading {
  readonly at: number
  readonly burnt: number
  readonly group: number | undefined
  readonly hostBusy: number
}

/** Shorter windows say more about clock ticks than about load. */
const shortestWindowSeconds = 0.2

/**
 * Measures what a burner really burns, from the kernel's accounting of its threads, and how much CPU
 * nobody else wanted: too little of that is why less is burnt than was asked.
 */
export function createCpuMeter(options: {
  pid: number
  groups: CpuGroups | undefined
  capacity: number
  loadCores: number
}): { measure(final: BurnerUsage | undefined): Measurement | undefined } {
  const read = (): Reading | undefined => {
    const burnt = cpuSeconds(options.pid)
    if (burnt === undefined || burnt === 0) return undefined
    return {
      at: performance.now() / 1000,
      burnt,
      group: options.groups && groupCpuSeconds(options.groups),
      hostBusy: hostBusySeconds(),
    }
  }
  const first = read()
  let previous = first
  let latestEffect: Effect | undefined
  let last: Measurement | undefined
  return {
    measure(final) {
      const now = read()
      if (now && previous && now.burnt < previous.burnt) return last
      if (now && first && previous && now.at - first.at >= shortestWindowSeconds) {
        if (!latestEffect || now.at - previous.at >= shortestWindowSeconds) {
          latestEffect = effectBetween(previous, now, options)
          previous = now
        }
        const wholeMs = (now.at - first.at) * 1000
        last = { latest: latestEffect, whole: effectBetween(first, now, options), wholeMs }
      }
      if (final && last) last = withFinal(last, final, options.capacity)
      return last
    },
  }
}

function effectBetween(
  from: Reading,
  to: Reading,
  { groups, capacity, loadCores }: { groups: unknown; capacity: number; loadCores: number },
): Effect {
  const seconds = to.at - from.at
  const burntCores = (to.burnt - from.burnt) / seconds
  const hostOthers = Math.max(0, (to.hostBusy - from.hostBusy) / seconds - burntCores)
  const inGroup = (to.group ?? 0) - (from.group ?? 0)
  const groupCores = groups ? inGroup / seconds : hostOthers + burntCores
  const freeInGroup = capacity - Math.max(0, groupCores - burntCores)
  const free = Math.max(0, Math.min(freeInGroup, hostCores() - hostOthers))
  return {
    metric: 'cpu',
    value: round((100 * burntCores) / capacity),
    unit: 'percent_of_capacity',
    detail: {
      burnt_cores: round(burntCores),
      load_cores: round(loadCores),
      capacity_cores: round(capacity),
      free_cores: round(free),
      group_cores: round(groupCores),
      window_seconds: round(seconds),
    },
  }
}

/** A burner that reached its own deadline is gone before it can be read; it left its sum. */
function withFinal(last: Measurement, usage: BurnerUsage, capacity: number): Measurement {
  const burntCores = usage.cpuSeconds / usage.wallSeconds
  const whole: Effect = {
    ...last.whole,
    value: round((100 * burntCores) / capacity),
    detail: {
      ...last.whole.detail,
      burnt_cores: round(burntCores),
      window_seconds: round(usage.wallSeconds),
    },
  }
  return { latest: last.latest, whole, wholeMs: usage.wallSeconds * 1000 }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
