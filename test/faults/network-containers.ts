import { randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import type Docker from 'dockerode'
import { typical } from './latency-rig.ts'
import { docker as standardEngine, targetImage } from '../support/docker.ts'

/** A container on a network, as hardened as they come: no tools, nothing to write, no rights. */
export interface NetworkContainer {
  readonly id: string
  readonly name: string
  readonly container: Docker.Container
  /** Its address and its first process now; both may be others after a restart. */
  now(): Promise<{ readonly address: string; readonly pid: number }>
  /** The number of its network namespace. */
  namespace(): Promise<number>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a container; `network` as `docker run --network` takes it. */
export async function networkContainer(
  network = 'bridge',
  labels: Record<string, string> = {},
  engine: Docker = standardEngine,
): Promise<NetworkContainer> {
  const container = await engine.createContainer({
    name: `temblor-net-${randomUUID().slice(0, 8)}`,
    Image: targetImage,
    Cmd: ['/bin/sleep', '3600'],
    User: '65534:65534',
    // The sleeping process does not hear SIGTERM.
    StopTimeout: 1,
    Labels: { 'temblor.test': 'network', ...labels },
    HostConfig: {
      NetworkMode: network,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
    },
  })
  await container.start().catch(async (error: unknown) => {
    await container.remove({ force: true })
    throw error
  })
  const { Id, Name } = await container.inspect()
  const now = async () => {
    const { NetworkSettings, State } = await container.inspect()
    const { IPAddress = '' } = NetworkSettings.Networks['bridge'] ?? {}
    return { address: IPAddress, pid: State.Pid }
  }
  return {
    id: Id,
    name: Name.slice(1),
    container,
    now,
    namespace: async () => statSync(`/proc/${(await now()).pid}/ns/net`).ino,
    async [Symbol.asyncDispose]() {
      await container.remove({ force: true }).catch(() => undefined)
    },
  }
}

/**
 * Milliseconds until a closed port says that it is closed, which takes one round trip; null when
 * nothing answers within the time.
 */
export function roundTripMs(address: string, withinMs = 3000): Promise<number | null> {
  return new Promise((resolve) => {
    const at = performance.now()
    const socket = connect({ host: address, port: 9 })
    const timer = setTimeout(() => finish(null), withinMs)
    const finish = (tookMs: number | null) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(tookMs)
    }
    socket.once('error', () => finish(performance.now() - at))
  })
}

/** What a round trip typically takes. @throws Error when one is not answered */
export async function typicalRoundTripMs(address: string, count = 7): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < count; index += 1) {
    const ms = await roundTripMs(address)
    if (ms === null) throw new Error(`${address} does not answer.`)
    times.push(ms)
  }
  return typical(times)
}

/** The network devices of this machine. */
export function namesOfDevices(): string[] {
  return readFileSync('/proc/net/dev', 'utf8')
    .split('\n')
    .slice(2)
    .map((line) => line.split(':')[0]?.trim() ?? '')
    .filter(Boolean)
    .toSorted()
}
