import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { makeImage } from '../support/docker.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)

/** A Docker Engine of a test's own that can be stopped; it touches no network of the machine. */
export interface PrivateEngine extends AsyncDisposable {
  readonly docker: Docker
  readonly socket: string
  start(): Promise<void>
  /** As a service manager does it. */
  stop(): Promise<void>
}

/** Starts an engine. @param liveRestore whether its containers outlive it */
export async function privateEngine(liveRestore: boolean): Promise<PrivateEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'temblor-engine-'))
  const socket = join(folder, 'docker.sock')
  const docker = new Docker({ socketPath: socket })
  const flags = {
    'data-root': join(folder, 'data'),
    'exec-root': join(folder, 'exec'),
    host: `unix://${socket}`,
    pidfile: join(folder, 'pid'),
    bridge: 'none',
    iptables: false,
    ip6tables: false,
    'ip-forward': false,
    'storage-driver': 'vfs',
    'live-restore': liveRestore,
  }
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  let child: ChildProcess
  const engine: PrivateEngine = {
    docker,
    socket,
    async start() {
      // An engine without a bridge removes docker0 where it is: in a network of its own there is none.
      child = spawn('unshare', ['--net', '--', 'dockerd', ...args], { stdio: 'ignore' })
      await until('the engine answers', () => docker.ping(), 30_000)
    },
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
    async [Symbol.asyncDispose]() {
      for (const { Id } of await docker.listContainers({ all: true }))
        await docker.getContainer(Id).remove({ force: true })
      await engine.stop()
      // An engine whose containers may live on leaves its folder mounted for them.
      if (liveRestore) await run('umount', [join(folder, 'data')])
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  await engine.start()
  await makeImage(docker)
  return engine
}
