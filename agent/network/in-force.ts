import { FaultError, type FaultDeath, type FaultHandle, type FaultTarget } from '../faults/fault.ts'
import { isAlive } from '../host/processes.ts'
import { plansOverlap } from './overlap.ts'
import type { TargetTraffic } from './target-traffic.ts'

interface InForce {
  readonly kind: string
  readonly attackId: string
  readonly traffic: TargetTraffic
  readonly handle: Promise<FaultHandle>
  users: number
}

/** How soon the end of a container is seen. */
const watchEveryMs = 250

const inForce = new Map<string, InForce>()

/** Whether executions of this process still use what carries this id. */
export function isInUse(id: string): boolean {
  return inForce.has(id)
}

/**
 * Refuses a second delay of the same packets: only one of the two would happen. The same attack in
 * the same namespace is no second one.
 * @throws FaultError naming the attack that is there
 */
export function refuseOverlap(kind: string, attackId: string, traffic: TargetTraffic): void {
  for (const other of inForce.values()) {
    if (other.kind !== kind || other.attackId === attackId) continue
    if (other.traffic.namespace.inode !== traffic.namespace.inode) continue
    if (!plansOverlap(other.traffic.plan, traffic.plan)) continue
    throw new FaultError(
      'unsupported',
      `The ${kind} attack ${other.attackId} hits some of this traffic on ${other.traffic.plan.devices.join(', ')} already. Halt it first, or choose other traffic.`,
    )
  }
}

/**
 * Starts a fault in a namespace, once: containers that share it share the fault, and it is taken away
 * when the last of them is done with it.
 */
export async function startOnce(
  kind: string,
  attackId: string,
  target: FaultTarget,
  traffic: TargetTraffic,
  start: () => Promise<FaultHandle>,
): Promise<FaultHandle> {
  const { id } = traffic
  const known = inForce.get(id)
  const entry = known ?? { kind, attackId, traffic, handle: start(), users: 0 }
  inForce.set(id, entry)
  entry.users += 1
  let isDone = false
  const leave = () => {
    if (isDone) return
    isDone = true
    entry.users -= 1
    if (entry.users === 0 && inForce.get(id) === entry) inForce.delete(id)
  }
  if (known) await traffic.observer?.close()
  try {
    const handle = await entry.handle
    const watch = watchTarget(target)
    return {
      measure: () => handle.measure(),
      died: Promise.race([handle.died, watch.gone]),
      notes: () => [...(known ? [sharedNote] : []), ...(handle.notes?.() ?? [])],
      async stop() {
        watch.close()
        leave()
        if (!isInUse(id)) await handle.stop()
      },
    }
  } catch (error) {
    leave()
    throw error
  }
}

const sharedNote =
  'The container shares its network with another target of the attack; they were hit once, together.'

/** The container's first process: when it ends, so does what was done to this container. */
function watchTarget(target: FaultTarget): { gone: Promise<FaultDeath>; close(): void } {
  const gone = Promise.withResolvers<FaultDeath>()
  if (target.kind === 'Host') return { gone: gone.promise, close: () => undefined }
  const timer = setInterval(() => {
    if (isAlive(target.init)) return
    clearInterval(timer)
    gone.resolve({ cause: 'target', message: 'The container stopped.' })
  }, watchEveryMs)
  return { gone: gone.promise, close: () => clearInterval(timer) }
}
