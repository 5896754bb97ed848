import type { AttackTypeName } from '../../shared/attacks/index.ts'
import { cpu } from './cpu.ts'
import type { Fault } from './fault.ts'

export type FaultCatalogue = Readonly<Record<AttackTypeName, Fault>>

/** Every fault there is; a missing one does not compile. */
export const faults = { cpu } satisfies FaultCatalogue
