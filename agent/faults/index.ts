import type { AttackTypeName } from '../../shared/attacks/index.ts'
import { blackhole } from './blackhole.ts'
import { cpu } from './cpu.ts'
import type { Fault } from './fault.ts'
import { latency } from './latency.ts'
import { createShutdown, type ShutdownDeps } from './shutdown.ts'

export type FaultCatalogue = Readonly<Record<AttackTypeName, Fault>>

/** Every fault there is; a missing one does not compile. */
export function createFaults(deps: ShutdownDeps) {
  return {
    cpu,
    latency,
    blackhole,
    shutdown: createShutdown(deps),
  } satisfies FaultCatalogue
}
