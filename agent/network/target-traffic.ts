import { createHash, randomInt } from 'node:crypto'
import type { NetworkSelector } from '../../shared/attacks/network/selector.ts'
import { FaultError, type FaultContext, type FaultTarget } from '../faults/fault.ts'
import { hostProcess } from '../host/host-process.ts'
import type { DeviceId } from './device-watch.ts'
import { chooseDevices } from './devices.ts'
import { hostNamespace, namespaceOf, type NamespaceRef } from './namespace.ts'
import { startObserver, type Observer } from './observer/observer-process.ts'
import type { TrafficPlan } from './ruleset.ts'

/** The traffic of one target that an attack is about. */
export interface TargetTraffic {
  /** Names what is made for it: the same for all executions of an attack in one namespace. */
  readonly id: string
  readonly namespace: NamespaceRef
  readonly plan: TrafficPlan
  /** The devices of the plan. */
  readonly devices: readonly DeviceId[]
  /** Where the target's name service settings lie. */
  readonly root: string
  /** Looks names up; there when the attack names hosts. */
  readonly observer: Observer | undefined
}

/** Beyond what a kernel gives out by itself, so that it is hardly ever taken. */
const sparedPorts = { from: 61_001, to: 65_535 }

/**
 * Finds out which traffic of the target is meant. Changes nothing; names are looked up in the
 * target's own namespace.
 * @throws FaultError that names the flag, when there is no such traffic or it cannot be hit cleanly
 */
export async function findTraffic(
  selector: NetworkSelector,
  target: FaultTarget,
  context: FaultContext,
): Promise<TargetTraffic> {
  const namespace = namespaceFor(target)
  const id = idOf(context, namespace)
  const root = rootOf(target)
  const names = [...selector.hostnames.only, ...selector.hostnames.not]
  const observer =
    names.length > 0
      ? await startObserver(namespace, markerOf(context, { id }), context.signal)
      : undefined
  try {
    const found = observer ? await lookUpAll(observer, names, root) : new Map<string, string[]>()
    const addressesOf = (wanted: readonly string[]) =>
      wanted.flatMap((name) => found.get(name) ?? [])
    const isNarrow = selector.addresses.only.length + selector.hostnames.only.length > 0
    const chosen = isNarrow
      ? [...selector.addresses.only, ...addressesOf(selector.hostnames.only)]
      : undefined
    const spared = [...selector.addresses.not, ...addressesOf(selector.hostnames.not)]
    const sparesControlPlane = selector.sparesControlPlane || selector.derivesExclusions
    const devices = await chooseDevices(namespace, selector.devices, {
      addresses: chosen ?? [],
      hasNames: selector.hostnames.only.length > 0,
    })
    const plan: TrafficPlan = {
      devices: devices.names,
      passing: devices.passing,
      chosen,
      spared,
      sparedEndpoints: sparesControlPlane ? await context.controlPlane() : [],
      remotePorts: selector.remotePorts,
      localPorts: selector.localPorts,
      protocols: selector.protocols,
      sparesDhcp: selector.derivesExclusions,
      sparedLocalPort: randomInt(sparedPorts.from, sparedPorts.to + 1),
    }
    return { id, namespace, plan, devices: devices.ids, root, observer }
  } catch (error) {
    await observer?.close()
    throw error
  }
}

/** The argument by which helper processes are found again; executions that share a fault share them. */
export function markerOf(
  { instanceId }: Pick<FaultContext, 'instanceId'>,
  { id }: Pick<TargetTraffic, 'id'>,
): string {
  return `temblor:${instanceId}:${id}`
}

/** The addresses of each name. @throws FaultError naming the first that has none */
export async function lookUpAll(
  observer: Observer,
  names: readonly string[],
  root: string,
): Promise<Map<string, string[]>> {
  const found = await observer.lookUp(names, root)
  return new Map(
    names.map((name): [string, string[]] => {
      const answer = found[name] ?? 'no answer'
      if (typeof answer === 'string')
        throw new FaultError(
          'unsupported',
          `-h/--hostname ${name} cannot be looked up where the target looks names up: ${answer}.`,
        )
      if (answer.length === 0)
        throw new FaultError(
          'unsupported',
          `-h/--hostname ${name} has no address where the target looks names up.`,
        )
      return [name, [...answer]]
    }),
  )
}

function namespaceFor(target: FaultTarget): NamespaceRef {
  const namespace = namespaceOf(target)
  if (!namespace) throw new FaultError('target-gone', 'The container stopped.')
  if (target.kind === 'Container' && namespace.inode === hostNamespace().inode)
    throw new FaultError(
      'unsupported',
      `The container ${target.name} uses the network of its host: an attack on it would hit the whole host. Aim at the host instead.`,
    )
  return namespace
}

function rootOf(target: FaultTarget): string {
  if (target.kind === 'Container') return `/proc/${target.init.pid}/root`
  const host = hostProcess()
  return host === process.pid ? '' : `/proc/${host}/root`
}

function idOf({ instanceId, attackId }: FaultContext, { inode }: NamespaceRef): string {
  return createHash('sha256')
    .update(`${instanceId} ${attackId} ${inode}`)
    .digest('hex')
    .slice(0, 12)
}
