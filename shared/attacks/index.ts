import type { AttackType } from './define.ts'
import { cpu } from './cpu.ts'

/** The catalogue: every attack type there is, by name. */
export const attackTypes = { cpu }

export type AttackTypeName = keyof typeof attackTypes
export type AttackParams = Record<string, number | boolean>

export const attackTypeNames = Object.keys(attackTypes) as AttackTypeName[]

/** The attack type of this name (`command.type`, any case), or undefined. */
export function findAttackType(name: string): AttackType | undefined {
  const key = name.toLowerCase()
  return Object.hasOwn(attackTypes, key)
    ? (attackTypes[key as AttackTypeName] as unknown as AttackType)
    : undefined
}
