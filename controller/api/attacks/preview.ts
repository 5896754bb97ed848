import type { AttackPreview, CreateAttackBody } from '../../../shared/api/attacks.ts'
import type { Client } from '../../../shared/api/clients.ts'
import { limitProblem } from '../../../shared/owner-limits.ts'
import type { OutReason, Preview } from '../../store/attacks.ts'
import type { Store } from '../../store/store.ts'
import { readRequest, type AttackRequest } from './command.ts'
import { problemOf } from './target-problem.ts'

const explanations: Record<OutReason, string> = {
  revoked: 'The host is revoked.',
  silent: 'Its agent has not been heard within the lease.',
  tags: 'It does not carry the tags.',
  no_container: 'It runs no container that matches (and is open).',
  protected: 'The owner of the host protects this container.',
}

/** Who would be hit by a request, by the very script that would carry it out; it writes nothing. */
export async function previewOf(
  store: Store,
  teamId: string,
  body: CreateAttackBody,
  caller: string,
): Promise<AttackPreview> {
  const request = readRequest(body)
  const found = await store.attacks.preview({
    ...request,
    teamId,
    type: request.type.type,
    createdBy: caller,
    source: 'Api',
  })
  const clients = new Map((await store.hosts.list(teamId)).map((one) => [one.identifier, one]))
  const problem = problemIn(request, found)
  const isDrawn = found.drawn < found.units
  return {
    command_type: request.type.type,
    length_seconds: request.lengthSeconds,
    params: paramsOf(request),
    would_start: problem === null,
    problem,
    drawn: isDrawn
      ? { count: found.drawn, of: found.units, unit: request.target.draw?.of ?? 'hosts' }
      : null,
    would_hit: found.rows.map((row) => ({
      client_id: row.host,
      guest_id: row.container,
      guest_name: row.name,
      cannot: whyNot(request, clients.get(row.host), containersOn(found, row)),
    })),
    would_not_hit: found.out.map((one) => ({
      client_id: one.host,
      guest_id: one.container ?? null,
      reason: one.reason,
      explanation: explanations[one.reason],
    })),
    missing: [...found.missing],
  }
}

/** How many containers of this host would be under attack at once; 0 for the host itself. */
function containersOn(found: Preview, { host, container }: Preview['rows'][number]): number {
  if (container === null) return 0
  const matching = found.rows.filter((row) => row.host === host).length
  return Math.min(matching, found.drawn < found.units ? found.drawn : matching)
}

function problemIn({ target }: AttackRequest, found: Preview): string | null {
  if (found.missing.length > 0) return problemOf(target, { kind: 'missing', ids: found.missing })
  if (found.units === 0) {
    const count = (reasons: OutReason[]) =>
      found.out.filter((one) => reasons.includes(one.reason)).length
    const [hostsWithTags, protectedContainers] = [count(['no_container']), count(['protected'])]
    return problemOf(target, { kind: 'none', hostsWithTags, protectedContainers })
  }
  if (found.drawn > found.units)
    return problemOf(target, { kind: 'few', matching: found.units, asked: found.drawn })
  return null
}

/** What the agent itself would answer: what it cannot do, and what its owner forbids. */
function whyNot(
  request: AttackRequest,
  client: Client | undefined,
  containersAtOnce: number,
): string | null {
  if (!client) return null
  const targeting = containersAtOnce > 0 ? 'Container' : 'Host'
  const capability = client.capabilities.find(
    (one) => one.attack_type === request.type.type && one.targeting === targeting,
  )
  if (!capability) return `Its agent does not know ${request.type.type} on a ${targeting}.`
  if (capability.status === 'ERROR') return capability.reason
  const { lengthSeconds, params } = request
  const { type } = request.type
  return limitProblem(client.limits, { type, lengthSeconds, params, containersAtOnce })
}

/** The parameters as the answer holds them; lists are copied because answers are mutable. */
function paramsOf({ params }: AttackRequest): Record<string, number | boolean | string[]> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'object' ? [...value] : value,
    ]),
  )
}
