import type { AttackParams } from './attacks/index.ts'
import type { Client } from './api/clients.ts'

/** What is about to happen, as far as the owner of a host may object. */
export interface LimitedAttack {
  readonly type: string
  readonly lengthSeconds: number
  readonly params: AttackParams
  /** Containers of the host that would be under attack at once; 0 for the host itself. */
  readonly containersAtOnce: number
}

/**
 * The sentence with which the owner's limits refuse an attack, naming the limit; or null. The agent
 * decides; the preview asks the same question beforehand.
 */
export function limitProblem(limits: Client['limits'], attack: LimitedAttack): string | null {
  const { attack_types: types, max_length_seconds: longest, max_percent: highest } = limits
  const { type, lengthSeconds } = attack
  const percent = attack.params['percent']
  if (types && !types.includes(type))
    return `The owner of this host allows only ${types.join(', ') || 'no attacks'} (TEMBLOR_ALLOW_ATTACKS), not ${type}.`
  if (limits.shutdown_forbidden && type === 'shutdown')
    return 'The owner of this host forbids shutdown (TEMBLOR_FORBID_SHUTDOWN).'
  if (longest !== null && lengthSeconds > longest)
    return `The owner of this host allows at most ${longest} s (TEMBLOR_MAX_LENGTH_SECONDS), not ${lengthSeconds} s.`
  if (highest !== null && typeof percent === 'number' && percent > highest)
    return `The owner of this host allows at most ${highest} % (TEMBLOR_MAX_PERCENT), not ${percent} %.`
  return containersProblem(limits.max_containers, attack.containersAtOnce)
}

function containersProblem(most: number | null, atOnce: number): string | null {
  return most !== null && atOnce > most
    ? `The owner of this host allows attacks on at most ${most} containers at once (TEMBLOR_MAX_CONTAINERS).`
    : null
}
