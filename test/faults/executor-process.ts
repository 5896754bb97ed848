/**
 * An executor as a process of its own, so that it can live in another network namespace, be frozen
 * and be killed. Started as `executor-process.ts <options as JSON>`; takes back what its journal holds,
 * then takes orders as JSON lines on stdin; says every update as a JSON line on stdout.
 */
import { createInterface } from 'node:readline'
import type { ExecutionUpdate, RunOrder } from '../../agent/execution-update.ts'
import { clockStartMs, executorRig } from './executor-rig.ts'

export type ExecutorRequest =
  | { readonly run: RunOrder }
  | { readonly halt: string }
  | { readonly acknowledge: string; readonly seq: number }

export interface ExecutorLine {
  readonly update?: ExecutionUpdate
  /** It has started; the executions that it found open. */
  readonly replayed?: readonly string[]
  /** Where its `performance.now()` starts. */
  readonly clockStartMs?: number
}

export interface ExecutorProcessOptions {
  readonly stateDir: string
  readonly instanceId: string
}

function say(line: ExecutorLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const options = JSON.parse(process.argv[2] ?? '{}') as ExecutorProcessOptions
const rig = await executorRig({ ...options, onUpdate: (update) => say({ update }) })
say({ replayed: await rig.executor.replay(), clockStartMs: clockStartMs() })
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const request = JSON.parse(line) as ExecutorRequest
    if ('run' in request) void rig.executor.run(request.run)
    else if ('halt' in request) rig.executor.halt(request.halt, 1, '')
    else rig.executor.acknowledge(request.acknowledge, request.seq)
  })
  .once('close', async () => {
    await rig.executor.close('The test is over.')
    process.exit()
  })
