import type { AttackType } from './define.ts'
import { blackhole } from './blackhole.ts'
import { cpu } from './cpu.ts'
import { latency } from './latency.ts'
import type { ParamValue } from './params.ts'
import { shutdown } from './shutdown.ts'

/** The catalogue: every attack type there is, by name. */
export const attackTypes = { cpu, latency, blackhole, shutdown }
export type AttackTypeName = keyof typeof attackTypes
export type AttackParams = Record<string, ParamValue>

export const attackTypeNames = Object.keys(attackTypes) as AttackTypeName[]

/** The attack type of this name (`command.type`, any case), or undefined. */
export function findAttackType(name: string): AttackType | undefined {
  const key = name.toLowerCase()
  return Object.hasOwn(attackTypes, key)
    ? (attackTypes[key as AttackTypeName] as unknown as AttackType)
    : undefined
}
