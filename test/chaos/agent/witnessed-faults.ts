import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  FaultError,
  type Fault,
  type FaultContext,
  type FaultDeath,
} from '../../../agent/faults/fault.ts'
import { findByArgument, killAndWait } from '../../../agent/host/processes.ts'
import type { FaultCatalogue } from '../../../agent/faults/index.ts'

/**
 * The effect is a process that holds a connection to the witness: it is there as long as the connection
 * is, whoever dies. It ends by itself when its time is over. $1 its address, $2 what the witness is told,
 * $3 seconds, $4 whether it ends with its agent (as a burner does) or stays (as a rule of the kernel).
 */
const effect = `
exec 3<>"/dev/tcp/$1" || exit 9
echo "$2" >&3
read -r -t 10 _ <&3 || exit 9
echo there
if [ "$4" = bound ]; then read -r -t "$3"; else read -r -t "$3" _ <&3; fi
exit 0`

const witnessed: Fault = {
  async probe() {
    return { ok: true }
  },

  async prepare(params, target, context) {
    const isBound = Number(params['percent']) % 2 === 1
    return {
      requested: { metric: 'witnessed', value: 1, unit: 'effects', detail: {} } as never,
      backend: isBound ? 'a process bound to its agent' : 'a process that stays',
      undo: [{ marker: markerOf(context) }],
      start: () => begin(context, isBound),
    }
  },

  async undo(record) {
    for (const process of findByArgument(String(record['marker'])))
      if (!(await killAndWait(process)))
        throw new FaultError('failed', `The effect ${process.pid} does not end.`, {
          mayBeActive: true,
        })
  },
}

/** In place of the agent's own catalogue. */
export function createFaults(): FaultCatalogue {
  return { cpu: witnessed, latency: witnessed, blackhole: witnessed, shutdown: witnessed }
}

async function begin(context: FaultContext, isBound: boolean) {
  const { executionId, attackId, remainingMs, signal } = context
  const host = process.env['TEMBLOR_IDENTIFIER']
  const told = `${host} ${executionId} ${attackId} ${Math.round(remainingMs)}`
  const port = process.env['TEMBLOR_CHAOS_WITNESS'] ?? ''
  const seconds = (remainingMs / 1000).toFixed(3)
  const kind = isBound ? 'bound' : 'stays'
  const child = spawn('bash', ['-c', effect, markerOf(context), port, told, seconds, kind], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  child.stdin.on('error', () => undefined)
  const died = once(child, 'close').then((): FaultDeath => ({
    cause: 'deadline',
    message: 'It reached its end.',
  }))
  await untilThere(child, died, signal)
  return {
    measure: () => undefined,
    died,
    async stop() {
      child.kill('SIGKILL')
      await died
    },
  }
}

async function untilThere(child: ChildProcess, died: Promise<unknown>, signal: AbortSignal) {
  const failed = Promise.withResolvers<never>()
  const fail = () => failed.reject(new FaultError('failed', 'The effect did not begin.'))
  failed.promise.catch(() => undefined)
  signal.addEventListener('abort', fail, { once: true })
  if (signal.aborted) fail()
  void died.then(fail)
  try {
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), failed.promise])
  } catch (error) {
    child.kill('SIGKILL')
    await died
    throw error
  } finally {
    signal.removeEventListener('abort', fail)
  }
}

function markerOf({ instanceId, executionId }: FaultContext): string {
  return `temblor:${instanceId}:${executionId}`
}
