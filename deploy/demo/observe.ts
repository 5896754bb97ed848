import {
  controlGroupCounter,
  hostIdleMs,
  processCpuMs,
  processesWithArgument,
} from './cpu-counters.ts'

const sampleEveryMs = 20
/** Start and end of the load are left out of its average. */
const edgeMs = 300
/** Less CPU time than this between two samples is not a fault. */
const noiseMs = 0.5
/** How often new processes of an attack are looked for once there is one. */
const rescanEveryMs = 200

interface Sample {
  /** Epoch milliseconds. */
  readonly at: number
  readonly cpuMs: number
  readonly idleMs: number
}

/** What an onlooker saw of one target, from the kernel's counters alone. Times are epoch ms. */
export interface Observation {
  readonly firstBurnAt: number | undefined
  readonly lastBurnAt: number | undefined
  /** Cores in use between the two, on average. */
  readonly cores: number
  readonly totalCpuMs: number
  /** Cores of the host that were idle in the same time. */
  readonly idleCores: number
}

export interface Observer {
  /** Ends the watch and says what was seen. */
  finish(): Observation
}

/** Watches a container through its control group. */
export function observeContainer(initPid: number): Observer {
  return observe(controlGroupCounter(initPid))
}

/** Watches the processes that carry out a host attack; they are known by its execution's id. */
export function observeHost(executionId: () => string | undefined): Observer {
  const pids = new Set<number>()
  let endedMs = 0
  let scannedAt = 0
  const lastMs = new Map<number, number>()
  return observe(() => {
    const id = executionId()
    const now = performance.now()
    if (id && (pids.size === 0 || now - scannedAt > rescanEveryMs)) {
      for (const pid of processesWithArgument(id)) pids.add(pid)
      scannedAt = now
    }
    for (const pid of pids) {
      const cpuMs = processCpuMs(pid)
      if (cpuMs !== undefined) {
        lastMs.set(pid, cpuMs)
        continue
      }
      pids.delete(pid)
      endedMs += lastMs.get(pid) ?? 0
      lastMs.delete(pid)
    }
    return endedMs + [...lastMs.values()].reduce((sum, ms) => sum + ms, 0)
  })
}

function observe(readCpuMs: () => number): Observer {
  const samples: Sample[] = []
  const take = () => {
    try {
      samples.push({ at: Date.now(), cpuMs: readCpuMs(), idleMs: hostIdleMs() })
    } catch {
      // The control group is gone: so is the load.
    }
  }
  take()
  const timer = setInterval(take, sampleEveryMs)
  return {
    finish() {
      clearInterval(timer)
      take()
      return evaluate(samples)
    },
  }
}

/** Finds where the load began and ended and what it was in between. */
export function evaluate(samples: readonly Sample[]): Observation {
  const grows = (i: number) => cpuAt(samples, i) - cpuAt(samples, i - 1) > noiseMs
  const indices = samples.map((_, index) => index).filter((index) => index > 0 && grows(index))
  const first = indices[0]
  const last = indices.at(-1)
  const totalCpuMs = cpuAt(samples, samples.length - 1) - cpuAt(samples, 0)
  if (first === undefined || last === undefined)
    return { firstBurnAt: undefined, lastBurnAt: undefined, cores: 0, totalCpuMs, idleCores: 0 }
  // The load began at some time between the sample that shows it and the one before.
  const firstBurnAt = (samples[first - 1] as Sample).at
  const lastBurnAt = (samples[last] as Sample).at
  const inside = samples.filter(
    (sample) => sample.at >= firstBurnAt + edgeMs && sample.at <= lastBurnAt - edgeMs,
  )
  const from = inside[0] ?? (samples[first - 1] as Sample)
  const to = inside.at(-1) ?? (samples[last] as Sample)
  const lastsMs = Math.max(1, to.at - from.at)
  return {
    firstBurnAt,
    lastBurnAt,
    cores: (to.cpuMs - from.cpuMs) / lastsMs,
    totalCpuMs,
    idleCores: (to.idleMs - from.idleMs) / lastsMs,
  }
}

function cpuAt(samples: readonly Sample[], index: number): number {
  return samples[index]?.cpuMs ?? 0
}
