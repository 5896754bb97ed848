import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ManagedChild, readyMessage, startChild } from '../../deploy/local/child-process.ts'

/** A Node process that does nothing, the floor of everything that is a Node process. */
export const idleSource = 'process.send?.({ ready: true }); setInterval(() => {}, 1e8)'

/** A Node process whose worker thread is busy from its first moment. */
const workerSource = `new (require('node:worker_threads').Worker)('for (;;);', { eval: true })`

/** Starts `node -e` with a channel to us. */
export function startNodeSource(name: string, source: string, logDir: string): ManagedChild {
  return startChild({
    name,
    program: process.execPath,
    args: ['-e', source],
    ipc: true,
    logFile: path.join(logDir, `${name}.log`),
  })
}

/** Starts a bare process with one busy worker thread. The caller kills it. */
export function startBareWorker(): ChildProcess {
  return spawn(process.execPath, ['-e', workerSource], { stdio: 'ignore' })
}

/** Milliseconds from the start of `node -e ""` to its end. */
export async function timeBareStart(): Promise<number> {
  const from = performance.now()
  await once(spawn(process.execPath, ['-e', ''], { stdio: 'ignore' }), 'exit')
  return performance.now() - from
}

/** A bare fastify in a process of its own. */
export interface FloorServer {
  readonly baseUrl: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts the server of `floor-server.ts` beside this Redis. */
export async function startFloorServer(redisUrl: string, logDir: string): Promise<FloorServer> {
  const child = startChild({
    name: 'floor-server',
    program: process.execPath,
    args: [fileURLToPath(new URL('floor-server.ts', import.meta.url)), redisUrl],
    ipc: true,
    logFile: path.join(logDir, 'floor-server.log'),
  })
  const { port } = await readyMessage<{ port: number }>(child, 15_000)
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    pid: child.process.pid as number,
    stop: () => child.stop(5000),
  }
}
