import { monitorEventLoopDelay } from 'node:perf_hooks'
import { machineNowMs } from './machine-clock.ts'

const resolutionMs = 1

/** What went through the streams of a controller since the begin of a measurement. */
export interface Traffic {
  /** When the newest order of each execution was written, by the clock of the machine. */
  readonly sentAtMs: Map<string, number>
  /** From the write of an order to its acknowledgement, decoded: one each. */
  readonly roundTripsMs: number[]
  lastAckAtMs: number
}

/** What a process that serves a fleet tells of itself when its parent asks. */
export function watchSelf() {
  const loop = monitorEventLoopDelay({ resolution: resolutionMs })
  loop.enable()
  const traffic: Traffic = { sentAtMs: new Map(), roundTripsMs: [], lastAckAtMs: 0 }
  const beyond = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
  const answers = {
    /** Forgets what was seen. */
    begin() {
      loop.reset()
      traffic.sentAtMs.clear()
      traffic.roundTripsMs.length = 0
      traffic.lastAckAtMs = 0
    },
    /** What was seen since. The delay is what came on top of the resolution of the timer. */
    seen: () => ({
      loopDelayP99Ms: beyond(loop.percentile(99)),
      loopDelayMaxMs: beyond(loop.max),
      roundTripsMs: [...traffic.roundTripsMs],
      lastAckAtMs: traffic.lastAckAtMs,
    }),
  }
  return { answers, traffic }
}
export type SelfAnswers = ReturnType<typeof watchSelf>['answers']

/** An order goes out. */
export function sawOrder(traffic: Traffic, executionId: string): void {
  traffic.sentAtMs.set(executionId, machineNowMs())
}

/** Its acknowledgement came in. */
export function sawAck(traffic: Traffic, executionId: string): void {
  const sentAtMs = traffic.sentAtMs.get(executionId)
  if (sentAtMs === undefined) return
  traffic.lastAckAtMs = machineNowMs()
  traffic.roundTripsMs.push(traffic.lastAckAtMs - sentAtMs)
  traffic.sentAtMs.delete(executionId)
}
