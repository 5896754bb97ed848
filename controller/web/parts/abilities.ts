import type { Client } from '../../../shared/api/clients.ts'
import { attackTypeNames, findAttackType } from '../../../shared/attacks/index.ts'
import type { TargetKind } from '../../../shared/attacks/define.ts'
import { limitProblem } from '../../../shared/owner-limits.ts'

/** Whether a host can carry out one type of attack: null, or why not. */
export interface Ability {
  readonly type: string
  readonly title: string
  readonly host: string | null
  readonly container: string | null
}

/** What a host can do, and what it cannot or may not. */
export function abilitiesOf(client: Client): Ability[] {
  const known = client.capabilities.map(({ attack_type: type }) => type)
  return [...new Set([...attackTypeNames, ...known])].map((type) => ({
    type,
    title: findAttackType(type)?.title ?? type,
    host: whyNot(client, type, 'Host'),
    container: whyNot(client, type, 'Container'),
  }))
}

/** The types that it can carry out on itself or on a container, by title. */
export function possibleTypes(client: Client): string[] {
  return abilitiesOf(client)
    .filter(({ host, container }) => host === null || container === null)
    .map(({ title }) => title)
}

function whyNot(client: Client, type: string, targeting: TargetKind): string | null {
  const found = client.capabilities.find(
    (one) => one.attack_type === type && one.targeting === targeting,
  )
  if (!found) return 'Its agent does not know it.'
  if (found.status === 'ERROR') return asSentence(found.reason ?? 'its agent cannot do it')
  // The mildest there is: what is left is forbidden however it is asked for.
  const mildest = { type, lengthSeconds: 0, params: {}, containersAtOnce: 0 }
  const containersAtOnce = targeting === 'Container' ? 1 : 0
  return limitProblem(client.limits, { ...mildest, containersAtOnce })
}

/** Agents say why as part of a sentence. */
function asSentence(reason: string): string {
  const end = /[.!?]$/.test(reason) ? '' : '.'
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${end}`
}

/** What the owner of the host forbids, as sentences; none when nothing is. */
export function limitSentences({ limits }: Client): string[] {
  const { attack_types, max_length_seconds, max_percent, max_containers } = limits
  return [
    attack_types &&
      `Only these attacks: ${attack_types.join(', ') || 'none'} (TEMBLOR_ALLOW_ATTACKS).`,
    max_length_seconds !== null &&
      `Nothing longer than ${max_length_seconds} s (TEMBLOR_MAX_LENGTH_SECONDS).`,
    max_percent !== null && `No higher percentage than ${max_percent} % (TEMBLOR_MAX_PERCENT).`,
    max_containers !== null &&
      `No more than ${max_containers} containers at once (TEMBLOR_MAX_CONTAINERS).`,
    limits.shutdown_forbidden && 'No shutdown (TEMBLOR_FORBID_SHUTDOWN).',
  ].filter((one) => typeof one === 'string')
}
