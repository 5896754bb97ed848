import type { AttackType } from '../shared/attacks/define.ts'
import type { AttackParams } from '../shared/attacks/index.ts'
import { limitProblem } from '../shared/owner-limits.ts'

/** What the owner of this host allows; undefined is no limit. The controller cannot override it. */
export interface OwnerLimits {
  readonly attackTypes: readonly string[] | undefined
  readonly maxLengthSeconds: number | undefined
  readonly maxPercent: number | undefined
  readonly maxContainers: number | undefined
  readonly shutdownForbidden: boolean
}

export const noLimits: OwnerLimits = {
  attackTypes: undefined,
  maxLengthSeconds: undefined,
  maxPercent: undefined,
  maxContainers: undefined,
  shutdownForbidden: false,
}

/** What is about to happen, as far as the owner may object. */
export interface IntendedAttack {
  readonly type: AttackType
  readonly params: AttackParams
  /** Set for a container. */
  readonly container?: { readonly name: string; readonly protected: boolean }
  /** Containers that would be under attack on this host, this one included. */
  readonly containersAtOnce: number
}

/** The sentence with which the owner's limits refuse an attack, naming the limit; or undefined. */
export function refusalByOwner(limits: OwnerLimits, attack: IntendedAttack): string | undefined {
  const { type, params, container, containersAtOnce } = attack
  const lengthSeconds = type.lengthSeconds(params as never)
  if (container?.protected)
    return `The container ${container.name} is protected by its label temblor.protect=true.`
  const asked = { type: type.type, lengthSeconds, params, containersAtOnce }
  return limitProblem(limitsOf(limits), asked) ?? undefined
}

/** The limits in the form in which the API shows them. */
function limitsOf(limits: OwnerLimits): Parameters<typeof limitProblem>[0] {
  return {
    attack_types: limits.attackTypes ? [...limits.attackTypes] : null,
    max_length_seconds: limits.maxLengthSeconds ?? null,
    max_percent: limits.maxPercent ?? null,
    max_containers: limits.maxContainers ?? null,
    shutdown_forbidden: limits.shutdownForbidden,
  }
}
