import type { AttackType } from '../shared/attacks/define.ts'
import type { AttackParams } from '../shared/attacks/index.ts'

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
  const { type, params, container } = attack
  if (limits.attackTypes && !limits.attackTypes.includes(type.type))
    return says(
      `allows only ${limits.attackTypes.join(', ') || 'no attacks'} (TEMBLOR_ALLOW_ATTACKS), not ${type.type}`,
    )
  if (limits.shutdownForbidden && type.type === 'shutdown')
    return says('forbids shutdown (TEMBLOR_FORBID_SHUTDOWN)')
  const seconds = type.lengthSeconds(params as never)
  if (limits.maxLengthSeconds !== undefined && seconds > limits.maxLengthSeconds)
    return says(
      `allows at most ${limits.maxLengthSeconds} s (TEMBLOR_MAX_LENGTH_SECONDS), not ${seconds} s`,
    )
  return refusalOfBlastRadius(limits, params, container, attack.containersAtOnce)
}

function refusalOfBlastRadius(
  limits: OwnerLimits,
  params: AttackParams,
  container: IntendedAttack['container'],
  containersAtOnce: number,
): string | undefined {
  const percent = params['percent']
  if (limits.maxPercent !== undefined && typeof percent === 'number' && percent > limits.maxPercent)
    return `The owner of this host allows at most ${limits.maxPercent} % (TEMBLOR_MAX_PERCENT), not ${percent} %.`
  if (container?.protected)
    return `The container ${container.name} is protected by its label temblor.protect=true.`
  if (container && limits.maxContainers !== undefined && containersAtOnce > limits.maxContainers)
    return `The owner of this host allows attacks on at most ${limits.maxContainers} containers at once (TEMBLOR_MAX_CONTAINERS).`
  return undefined
}

function says(what: string): string {
  return `The owner of this host ${what}.`
}
