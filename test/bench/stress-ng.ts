import path from 'node:path'
import { cpuSeconds } from '../../agent/host/processes.ts'
import { type ManagedChild, startChild } from '../../deploy/local/child-process.ts'
import { until } from '../support/until.ts'
import { familyOf } from './machine.ts'

/** A running `stress-ng --cpu`. */
export interface StressNg {
  /** CPU seconds of all its processes. */
  cpuSeconds(): number
  stop(): Promise<void>
}

/**
 * Starts workers with this load each, in whole percent, as members of the given control groups (of
 * none: where we are). It ends by itself after `seconds`.
 */
export async function startStressNg(options: {
  workers: number
  loadPercent: number
  seconds: number
  groupFolders: readonly string[]
  logDir: string
}): Promise<StressNg> {
  const { workers, loadPercent, seconds, groupFolders, logDir } = options
  const command = ['stress-ng', '--cpu', String(workers), '--cpu-load', String(loadPercent)]
  command.push('--timeout', String(Math.ceil(seconds)), '--temp-path', logDir)
  // The shell joins and then becomes stress-ng, so that all it forks is in there from the start.
  const join =
    'n=$1; shift; while [ $n -gt 0 ]; do echo $$ > "$1/cgroup.procs"; shift; n=$((n-1)); done; exec "$@"'
  const child = startChild({
    name: 'stress-ng',
    program: '/bin/sh',
    args: ['-ec', join, 'sh', String(groupFolders.length), ...groupFolders, ...command],
    logFile: path.join(logDir, 'stress-ng.log'),
  })
  const pid = child.process.pid as number
  await until('stress-ng burns', () => burntBy(pid) > 0.05 || failIfOver(child), 5000, 20)
  return { cpuSeconds: () => burntBy(pid), stop: () => child.stop(2000) }
}

function failIfOver(child: ManagedChild): false {
  if (child.process.exitCode !== null || child.process.signalCode !== null)
    throw new Error(`stress-ng ended: ${child.lastLines().join('; ')}`)
  return false
}

function burntBy(pid: number): number {
  return [...familyOf(pid)].reduce((sum, one) => sum + (cpuSeconds(one) ?? 0), 0)
}
