import type { AttackTypeName } from '../../shared/attacks/index.ts'
import { cpu } from './cpu.ts'
import { FaultError, type Fault } from './fault.ts'
import { createShutdown, type ShutdownDeps } from './shutdown.ts'

export type FaultCatalogue = Readonly<Record<AttackTypeName, Fault>>

const notYet: Fault = {
  probe: async () => ({ ok: false, reason: 'this agent cannot do it yet' }),
  prepare: refuse,
  undo: async () => undefined,
}

async function refuse(): Promise<never> {
  throw new FaultError('unsupported', 'This agent cannot do it yet.')
}

/** Every fault there is; a missing one does not compile. */
export function createFaults(deps: ShutdownDeps) {
  return {
    cpu,
    latency: notYet,
    blackhole: notYet,
    shutdown: createShutdown(deps),
  } satisfies FaultCatalogue
}
