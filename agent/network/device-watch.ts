import type { FaultDeath } from '../faults/fault.ts'
import { runIn, type NamespaceRef } from './namespace.ts'

/** A device, whatever its name becomes and whatever gets its name. */
export interface DeviceId {
  readonly name: string
  readonly index: number
}

/** A device of ours with a queue of this kind, which must not be missing: what is sent to it would be lost. */
export interface OwnQueue {
  readonly link: string
  readonly kind: string
}

/** What `ip -j link` says; the queue is another one while the device is down. */
interface Seen {
  readonly ifname: string
  readonly ifindex: number
  readonly qdisc?: string
}

const lookEveryMs = 1000

export interface DeviceWatch {
  readonly died: Promise<FaultDeath>
  close(): void
}

/**
 * Looks each second whether the devices of a fault are there: the kernel takes the hooks away with a
 * device, older ones for good, newer ones until another has its name, and tells nobody.
 */
export function watchDevices(
  namespace: NamespaceRef,
  devices: readonly DeviceId[],
  own?: OwnQueue,
): DeviceWatch {
  const death = Promise.withResolvers<FaultDeath>()
  let isLooking = false
  const look = async () => {
    if (isLooking) return
    isLooking = true
    try {
      const text = await runIn(namespace, 'ip', ['-j', 'link', 'show'])
      const message = whatIsMissing(JSON.parse(text || '[]') as Seen[], devices, own)
      if (message !== undefined) death.resolve({ cause: 'crash', message })
    } catch {
      // A namespace that is gone is told by others; a busy machine is asked again.
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => void look(), lookEveryMs)
  return { died: death.promise, close: () => clearInterval(timer) }
}

function whatIsMissing(
  seen: readonly Seen[],
  devices: readonly DeviceId[],
  own: OwnQueue | undefined,
): string | undefined {
  const replaced = devices.find(({ name, index }) =>
    seen.some(({ ifname, ifindex }) => ifname === name && ifindex !== index),
  )
  if (replaced)
    return `The network device ${replaced.name}, which the attack was on, is gone: another one has its name.`
  const isThere = ({ index }: DeviceId) => seen.some(({ ifindex }) => ifindex === index)
  // Those of containers come and go. What is left is hit as before.
  if (devices.length > 0 && !devices.some(isThere)) {
    const names = devices.map(({ name }) => name).join(', ')
    return `The network device ${names}, which the attack was on, is gone.`
  }
  if (!own) return undefined
  const found = seen.find(({ ifname }) => ifname === own.link)
  if (!found) return `Somebody removed the device of the delay, ${own.link}.`
  if (found.qdisc === own.kind) return undefined
  return `Somebody removed the queue of the delay from its device, ${own.link}, or switched the device off.`
}
