import { endReasons, isTerminal } from '../../../shared/stages.ts'
import { acknowledged, requestsOf, type FinalAttack, type History } from '../history.ts'
import { tell, type Invariant } from './invariant.ts'

/** With these an execution ends before it began. */
const neverBegan = new Set([
  'expired_before_start',
  'target_not_found',
  'invalid_argument',
  'forbidden_by_owner',
  'controller_host',
  'unsupported',
])

/** A fault that ended this much before its length was over has not been carried out. */
const shortMs = 1_000

export const kept: Invariant = {
  name: 'what was answered with 201 is on record',
  check: (history) =>
    acknowledged(history)
      .filter(({ record }) => !record || record.executions.length === 0)
      .map(({ attack, request, record }) => ({
        what: `attack ${attack} ${record ? 'has no executions' : 'is not on record'}`,
        events: [tell(request)],
      })),
}

export const settled: Invariant = {
  name: 'in the end every execution is over, with its reason',
  check: (history) =>
    history.attacks.flatMap((attack) =>
      attack.executions
        .filter(({ stage, reason }) => !isTerminal(stage) || !reason || !(reason in endReasons))
        .map(({ id, stage, reason }) => ({
          what: `execution ${id} of ${attack.id} is ${stage} with the reason ${reason ?? 'none'}`,
          events: aboutAttack(history, attack),
        })),
    ),
}

export const carriedOut: Invariant = {
  name: 'what is said to have been carried out was, and what is said not to have begun did not',
  check: (history) =>
    history.attacks.flatMap((attack) =>
      attack.executions.flatMap(({ id, stage, reason = '' }) => {
        const effects = history.effects.filter(({ execution }) => execution === id)
        const events = aboutAttack(history, attack)
        const isWhole = effects.some(
          ({ begin, end = Infinity, lengthMs }) => end - begin > lengthMs - shortMs,
        )
        if (stage === 'Successful' && !isWhole)
          return [{ what: `execution ${id} is Successful without a whole effect`, events }]
        if (neverBegan.has(reason) && effects.length > 0)
          return [{ what: `execution ${id} had an effect, and ended as ${reason}`, events }]
        return []
      }),
    ),
}

export const oneKeyOneAttack: Invariant = {
  name: 'the same idempotency key is the same attack',
  check(history) {
    const byKey = Map.groupBy(
      requestsOf(history, 'create').filter(({ key, attack }) => key && attack),
      ({ key }) => key,
    )
    return [...byKey].flatMap(([key, requests]) =>
      new Set(requests.map(({ attack }) => attack)).size > 1
        ? [{ what: `key ${key} made several attacks`, events: requests.map(tell) }]
        : [],
    )
  },
}

export const askedFor: Invariant = {
  name: 'no attack exists that nobody asked for',
  check(history) {
    const creates = requestsOf(history, 'create')
    const answered = new Set(creates.map(({ attack }) => attack))
    const answeredKeys = new Set(creates.flatMap(({ key, attack }) => (attack && key) || []))
    const unanswered = creates.filter(
      ({ key = '', attack, status }) =>
        !attack && !answeredKeys.has(key) && (status === 0 || status >= 500),
    )
    // What was refused with its key may be asked for once more without an answer; all that with one key is one attack.
    const open = [...new Map(unanswered.map((one, at) => [one.key ?? at, one])).values()]
    const unknown = history.attacks.filter(({ id }) => !answered.has(id))
    if (unknown.length <= open.length) return []
    return [
      {
        what: `${unknown.length} attacks exist without an answer, and only ${open.length} requests are unanswered: ${unknown.map(({ id }) => id).join(', ')}`,
        events: open.map(tell),
      },
    ]
  },
}

export const terminalIsFinal: Invariant = {
  name: 'an end that was read stays, and nothing happens after it',
  check(history) {
    const last = new Map(
      history.attacks.flatMap(({ executions }) => executions.map((row) => [row.id, row] as const)),
    )
    return requestsOf(history, 'read').flatMap((read) =>
      read.executions
        .filter(({ stage }) => isTerminal(stage))
        .flatMap(({ id, stage, reason }) => {
          const now = last.get(id)
          if (now && (now.stage !== stage || now.reason !== reason)) {
            const what = `execution ${id} was ${stage} (${reason}), and is ${now.stage} (${now.reason})`
            return [{ what, events: [tell(read)] }]
          }
          // Of a host that is lost, or was revoked while nobody could reach it, nobody knows; that it begins nothing
          // later is checked all the same.
          const isLost = stage === 'LostCommunication' || reason === 'host_revoked'
          const later = history.effects.filter(
            (effect) =>
              effect.execution === id &&
              (effect.begin > (read.end as number) ||
                (!isLost && (effect.end ?? Infinity) > (read.end as number))),
          )
          return later.map((effect) => ({
            what: `execution ${id} was ${stage} (${reason}), and its effect is there after that`,
            events: [tell(read), tell(effect)],
          }))
        }),
    )
  },
}

export const nothingLeft: Invariant = {
  name: 'what is over on record has no effect any more',
  check: ({ effects, attacks }) => {
    const rows = attacks.flatMap(({ executions }) => executions)
    return effects
      .filter(({ end }) => end === undefined)
      .flatMap((effect) => {
        const row = rows.find(({ id }) => id === effect.execution)
        if (!row || !isTerminal(row.stage)) return []
        return [{ what: `execution ${row.id} is ${row.stage}`, events: [tell(effect)] }]
      })
  },
}

export const journalsClosed: Invariant = {
  name: 'in the end every journal is closed, and holds whatever was done',
  check(history) {
    const known = new Set(history.journals.map(({ host, execution }) => `${host} ${execution}`))
    const open = history.journals
      .filter(({ state }) => state !== 'DONE')
      .map(({ host, execution, state }) => ({
        what: `the journal of ${host} holds ${execution} as ${state}`,
        events: history.effects.filter((effect) => effect.execution === execution).map(tell),
      }))
    const missing = history.effects
      .filter(({ host, execution }) => !known.has(`${host} ${execution}`))
      .map((effect) => ({
        what: `the journal of ${effect.host} knows nothing of ${effect.execution}`,
        events: [tell(effect)],
      }))
    return [...open, ...missing]
  },
}

function aboutAttack(history: History, attack: FinalAttack): string[] {
  const requests = history.requests.filter(
    (request) =>
      (request.kind === 'create' || request.kind === 'halt') && request.attack === attack.id,
  )
  const effects = history.effects.filter((effect) => effect.attack === attack.id)
  return [...requests, ...effects].toSorted((a, b) => a.begin - b.begin).map(tell)
}
