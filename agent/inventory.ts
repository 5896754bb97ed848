import type { Inventory } from '../proto/gen/temblor/agent/v1/Inventory.ts'
import { attackTypes, type AttackTypeName } from '../shared/attacks/index.ts'
import type { TargetKind } from '../shared/attacks/define.ts'
import type { AgentConfig } from './config.ts'
import type { EngineInfo, ListedContainer } from './containers/docker.ts'
import type { Facts } from './facts.ts'
import type { ProbeResult } from './faults/fault.ts'
import type { FaultCatalogue } from './faults/index.ts'

/** One thing that this host can do, or why it cannot. */
export interface Capability {
  readonly attackType: AttackTypeName
  readonly targeting: TargetKind
  /** Empty when the host can do it; else plain words without a full stop. */
  readonly missingReason: string
}

/** What the inventory looks at. */
export interface InventorySources {
  readonly config: AgentConfig
  readonly facts: Facts
  readonly probes: Probes
  readonly engine: {
    readonly containers: readonly ListedContainer[]
    readonly info: EngineInfo | undefined
    readonly missingReason: string | undefined
  }
}

/** What the faults found out about this host, by attack type and kind of target. */
export type Probes = Readonly<Record<AttackTypeName, Readonly<Record<TargetKind, ProbeResult>>>>

/** Asks every fault whether this host can do it. */
export async function probeHost(faults: FaultCatalogue): Promise<Probes> {
  const found = Object.entries(faults).map(async ([name, fault]) => {
    const [Host, Container] = await Promise.all([fault.probe('Host'), fault.probe('Container')])
    return [name, { Host, Container }]
  })
  return Object.fromEntries(await Promise.all(found)) as Probes
}

/** What this host can do, for each attack type and kind of target. */
export function capabilities({
  probes,
  engine,
}: Pick<InventorySources, 'probes' | 'engine'>): Capability[] {
  return Object.values(attackTypes).flatMap((type) =>
    type.targets.map((targeting) => {
      const attackType = type.type as AttackTypeName
      const can = probes[attackType][targeting]
      const withoutEngine = targeting === 'Container' ? (engine.missingReason ?? '') : ''
      return { attackType, targeting, missingReason: can.ok ? withoutEngine : can.reason }
    }),
  )
}

/** What the controller is told about this host. Configured tags win over native ones. */
export function buildInventory(sources: InventorySources): Inventory {
  const { config, facts, engine } = sources
  const { limits } = config
  return {
    tags: { ...facts.nativeTags, ...config.tags },
    containers: engine.containers.map((one) => ({ ...one, labels: { ...one.labels } })),
    capabilities: capabilities(sources),
    limits: {
      // An owner who allows nothing must not look like one without limits.
      attackTypes: limits.attackTypes?.length === 0 ? ['none'] : [...(limits.attackTypes ?? [])],
      maxLengthSeconds: limits.maxLengthSeconds ?? 0,
      maxPercent: limits.maxPercent ?? 0,
      maxContainers: limits.maxContainers ?? 0,
      shutdownForbidden: limits.shutdownForbidden,
    },
    facts: {
      osType: facts.osType,
      osName: facts.osName,
      osVersion: facts.osVersion,
      cpuCores: facts.cpuCores,
      memoryBytes: facts.memoryBytes,
      dockerVersion: engine.info?.version ?? '',
      engineId: engine.info?.id ?? '',
    },
  }
}

/** What this host cannot do, as sentences for people. */
export function warningsOf(missing: readonly Capability[]): string[] {
  return missing
    .filter(({ missingReason }) => missingReason)
    .map(({ attackType, targeting, missingReason }) => {
      const whom = targeting === 'Container' ? 'containers' : 'this host'
      return `This agent cannot run ${attackType} attacks on ${whom}: ${missingReason}.`
    })
}
