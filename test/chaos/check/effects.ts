import {
  acknowledged,
  calmAfter,
  concerns,
  requestsOf,
  type Effect,
  type Halt,
  type History,
} from '../history.ts'
import { tell, type Invariant } from './invariant.ts'

/** How long after its deadline the last trace of an effect may be there. */
const afterDeadlineMs = 5_000

export const once: Invariant = {
  name: 'an execution has one effect at most',
  check: ({ effects }) =>
    [...Map.groupBy(effects, ({ execution }) => execution)]
      .filter(([, all]) => all.length > 1)
      .map(([execution, all]) => ({
        what: `execution ${execution} had ${all.length} effects`,
        events: all.map(tell),
      })),
}

export const inTime: Invariant = {
  name: 'an effect is gone 5 s after its deadline, whoever has died',
  check: ({ effects, until }) =>
    effects
      .filter(({ begin, end = until, lengthMs }) => end - begin > lengthMs + afterDeadlineMs)
      .map((effect) => ({
        what: `the effect of ${effect.execution} outlived its length`,
        events: [tell(effect)],
      })),
}

export const haltIsFinal: Invariant = {
  name: 'what was halted ends as soon as its host can be reached, and does not begin again',
  check(history) {
    const halts = answeredHalts(history)
    return history.effects.flatMap((effect) => {
      const halt = halts.find((one) => isMeant(one, effect, history))
      if (!halt) return []
      const known = reachedAt(history, effect.host, halt.end as number)
      if ((effect.end ?? Infinity) <= known) return []
      const what =
        effect.begin > known
          ? `an effect of ${effect.execution} began after its halt was answered and had arrived`
          : `the effect of ${effect.execution} was not ended by its halt`
      return [{ what, events: [tell(halt), tell(effect), ...between(history, effect, halt)] }]
    })
  },
}

export const deadMan: Invariant = {
  name: 'an agent that cannot hear its controller ends what it runs',
  check(history) {
    const { deadManMs, slackMs } = history.bounds
    const limit = deadManMs + slackMs
    const cuts = history.outages.filter(
      ({ part, begin, end }) => part.startsWith('link:') && end - begin > limit,
    )
    return cuts.flatMap((cut) => {
      const host = cut.part.slice('link:'.length)
      const ownStops = history.outages.filter(
        ({ part, begin, end }) =>
          (part === `agent:${host}` || part === 'machine') && begin < cut.end && end > cut.begin,
      )
      if (ownStops.length > 0) return []
      const over = cut.begin + limit
      return history.effects
        .filter(
          (effect) =>
            effect.host === host && effect.begin < cut.begin && (effect.end ?? Infinity) > over,
        )
        .map((effect) => ({
          what: `the effect of ${effect.execution} went on without a controller`,
          events: [tell(cut), tell(effect)],
        }))
    })
  },
}

export const rightHost: Invariant = {
  name: 'an effect is on the host that its execution names, in the team that asked',
  check(history) {
    const hosts = new Map(history.hosts.map((host) => [host.name, host]))
    const places = new Map(
      history.attacks.flatMap(({ id, team, executions }) =>
        executions.map((row) => [row.id, { attack: id, team, host: row.host }] as const),
      ),
    )
    return history.effects.flatMap((effect) => {
      const place = places.get(effect.execution)
      const events = [tell(effect)]
      if (!place)
        return [{ what: `${effect.execution} is on no record, and had an effect`, events }]
      if (place.host === effect.host && hosts.get(effect.host)?.team === place.team) return []
      return [{ what: `${effect.execution} is for ${place.host} of team ${place.team}`, events }]
    })
  },
}

export const askedHosts: Invariant = {
  name: 'exactly those hosts are chosen that were asked for, of the own team',
  check(history) {
    const teams = new Map(history.hosts.map((host) => [host.name, host.team]))
    return acknowledged(history).flatMap(({ attack, request, record }) => {
      const chosen = record?.executions.map(({ host }) => host) ?? []
      if (chosen.length === 0) return []
      const isAsked = request.hosts
        ? chosen.toSorted().join() === request.hosts.toSorted().join()
        : chosen.length === request.count && new Set(chosen).size === chosen.length
      const isOwn = chosen.every((host) => teams.get(host) === request.team)
      return isAsked && isOwn
        ? []
        : [{ what: `attack ${attack} hit ${chosen.join(', ')}`, events: [tell(request)] }]
    })
  },
}

export const liveHosts: Invariant = {
  name: 'no host is chosen that was silent for longer than its lease',
  check(history) {
    const { leaseMs, slackMs } = history.bounds
    const silences = history.outages.filter(
      ({ part, kind }) => /^(agent|link):/.test(part) && kind !== 'start',
    )
    return acknowledged(history).flatMap(({ attack, request, record }) =>
      (record?.executions ?? []).flatMap(({ id, host }) => {
        const silence = silences.find(
          ({ part, begin, end }) =>
            part.slice(part.indexOf(':') + 1) === host &&
            end > (request.end as number) &&
            begin + leaseMs + slackMs < request.begin &&
            // What stood still meanwhile may have passed the last heartbeat on late.
            begin + leaseMs + slackMs + heldMs(history, begin, request.begin) < request.begin,
        )
        return silence
          ? [
              {
                what: `attack ${attack} chose ${host} (${id})`,
                events: [tell(silence), tell(request)],
              },
            ]
          : []
      }),
    )
  },
}

export const notRevoked: Invariant = {
  name: 'nothing begins on a host that is revoked, and it is not chosen',
  check(history) {
    const activations = requestsOf(history, 'activate')
    const revocations = requestsOf(history, 'revoke').filter(({ status }) => status === 200)
    return revocations.flatMap((revoke) => {
      const { host, end: from = Infinity } = revoke
      const until = Math.min(
        // Of two that overlap nobody knows which was later.
        ...activations
          .filter((one) => one.host === host && (one.end ?? Infinity) > revoke.begin)
          .map(({ begin }) => begin),
        Infinity,
      )
      const known = reachedAt(history, host, from)
      const effects = history.effects
        .filter((one) => one.host === host && one.begin > known && one.begin < until)
        .map((one) => ({ what: `an effect on ${host}`, events: [tell(revoke), tell(one)] }))
      const chosen = acknowledged(history)
        .filter(({ request }) => request.begin > from && (request.end as number) < until)
        .filter(({ record }) => record?.executions.some((row) => row.host === host))
        .map(({ attack, request }) => ({
          what: `attack ${attack} chose ${host}`,
          events: [tell(revoke), tell(request)],
        }))
      return [...effects, ...chosen]
    })
  },
}

/** When a host must have heard of what was said at `from`, however often it was hindered. */
export function reachedAt(history: History, host: string, from: number): number {
  const outages = history.outages.filter((outage) => concerns(outage, host))
  return calmAfter(outages, from, history.bounds.reachMs) + history.bounds.slackMs
}

/** Whether this halt is about the effect: its attack was there before the halt was asked for. */
function isMeant(halt: Halt, effect: Effect, history: History): boolean {
  if (halt.attack !== undefined) return halt.attack === effect.attack
  const created = acknowledged(history).find(({ attack }) => attack === effect.attack)?.request
  return created?.team === halt.team && (created.end as number) < halt.begin
}

function answeredHalts(history: History): Halt[] {
  return requestsOf(history, 'halt')
    .filter(({ status }) => status === 202)
    .toSorted((a, b) => (a.end as number) - (b.end as number))
}

function heldMs({ outages }: History, from: number, until: number): number {
  return outages
    .filter(({ part }) => !/^(agent|link):/.test(part))
    .filter(({ begin, end }) => begin < until && end > from)
    .reduce((sum, { begin, end }) => sum + end - begin, 0)
}

/** What hindered the host between the halt and the end of the effect. */
function between(history: History, effect: Effect, halt: Halt): string[] {
  const [from, until] = [halt.end as number, effect.end ?? Infinity]
  return history.outages
    .filter((outage) => concerns(outage, effect.host) && outage.begin < until && outage.end > from)
    .slice(-5)
    .map(tell)
}
