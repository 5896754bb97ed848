import type { AttackPreview, CreateAttackBody } from '../../../shared/api/attacks.ts'
import type { Client } from '../../../shared/api/clients.ts'
import { limitProblem } from '../../../shared/owner-limits.ts'
import type { Caller } from '../../auth/access.ts'
import type { OutReason, Preview } from '../../store/attacks.ts'
import type { Store } from '../../store/store.ts'
import { readRequest, targetKindOf, type AttackRequest } from './command.ts'
import { controllerHostProblem, namedControllerHosts, sparedBootIds } from './controller-host.ts'
import { problemOf } from './target-problem.ts'

const explanations: Record<OutReason, string> = {
  revoked: 'The host is revoked.',
  silent: 'Its agent has not been heard within the lease.',
  tags: 'It does not carry the tags.',
  no_container: 'It runs no container that matches (and is open).',
  controller: 'A controller runs on it; without --allow-controller-host it is spared.',
  protected: 'The owner of the host protects this container.',
}

/** Who would be hit by a request, by the very script that would carry it out; it writes nothing. */
export async function previewOf(
  store: Store,
  teamId: string,
  body: CreateAttackBody,
  caller: Pick<Caller, 'email' | 'privileges'>,
): Promise<AttackPreview> {
  const request = readRequest(body)
  const { type, params, target } = request
  const found = await store.attacks.preview({
    ...request,
    teamId,
    type: type.type,
    sparedBootIds: await sparedBootIds(store, request),
    createdBy: caller.email,
    source: 'Api',
  })
  const hit = await store.hosts.read(teamId, [...new Set(found.rows.map(({ host }) => host))])
  const clients = new Map(hit.map((one) => [one.identifier, one]))
  const problem = controllerHostProblem(request, caller.privileges) ?? problemIn(request, found)
  const isDrawn = found.drawn < found.units
  return {
    command_type: type.type,
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
    warnings: [...(type.warnings?.(params as never, targetKindOf(target)) ?? [])],
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
  const spared = found.out.filter(({ reason }) => reason === 'controller')
  if (target.hosts.ids && spared.length > 0)
    return namedControllerHosts(spared.map(({ host }) => host))
  if (found.units === 0) {
    const count = (reasons: OutReason[]) =>
      found.out.filter((one) => reasons.includes(one.reason)).length
    const [hostsWithTags, protectedContainers] = [count(['no_container']), count(['protected'])]
    const controllerHosts = count(['controller'])
    return problemOf(target, { kind: 'none', hostsWithTags, protectedContainers, controllerHosts })
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
