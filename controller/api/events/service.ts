import type { ExecutionEvent } from '../../../shared/api/events.ts'
import { isStage, isTerminal } from '../../../shared/stages.ts'
import type { EventFeed, TeamEvent } from '../../events/feed.ts'
import type { SseStream } from '../../events/sse.ts'
import { toAttack, toExecution } from '../../records/attacks.ts'
import { attackNotFound } from '../../records/not-found.ts'
import type { Store } from '../../store/store.ts'

export interface WatchService {
  /** @throws ApiError `attack_not_found` */
  mustExist(teamId: string, attackId: string): Promise<void>
  /** Sends where the executions stand (unless resumed), then every move, then `end`. */
  watchAttack(stream: SseStream, teamId: string, attackId: string, resume?: string): Promise<void>
  /** Sends every move of the team after `from`. */
  watchTeam(stream: SseStream, teamId: string, from: string): Promise<void>
}

interface Deps {
  readonly store: Store
  readonly feed: EventFeed
}

/** Makes the service of event streams. */
export function createWatchService(store: Store, feed: EventFeed): WatchService {
  const deps = { store, feed }
  return {
    async mustExist(teamId, attackId) {
      if (!(await store.attacks.find(teamId, attackId))) throw attackNotFound(attackId)
    },
    watchAttack: (stream, teamId, attackId, resume) =>
      watchAttack(deps, stream, teamId, attackId, resume),
    watchTeam(stream, teamId, from) {
      stream.mark(from)
      return pump(deps, stream, teamId, from, undefined)
    },
  }
}

async function watchAttack(
  deps: Deps,
  stream: SseStream,
  teamId: string,
  attackId: string,
  resume: string | undefined,
): Promise<void> {
  const { store, feed } = deps
  const from = resume ?? (await feed.lastId(teamId))
  stream.mark(from)
  const executions = (await store.executions.ofAttacks(teamId, [attackId]))[0] ?? []
  const past = resume
    ? (await feed.since(teamId, resume)).filter((event) => event.attackId === attackId)
    : executions.map(({ id, stage }) => ({ id: from, attackId, executionId: id, stage }))
  const isTold = await tellPast(store, stream, teamId, past)
  const isOver = executions.every((execution) => isTerminal(execution.stage))
  if (!isTold && !(isOver && past.length === 0))
    return await pump(deps, stream, teamId, past.at(-1)?.id ?? from, attackId)
  const record = await store.attacks.find(teamId, attackId)
  if (record) stream.send({ name: 'end', data: toAttack(record, executions) })
  stream.end()
}

/** Sends what has happened already. @returns whether the last of it ended the attack */
async function tellPast(
  store: Store,
  stream: SseStream,
  teamId: string,
  past: readonly TeamEvent[],
): Promise<boolean> {
  let isOver = false
  for (const event of past) {
    const described = await describe(store, teamId, event)
    if (!described) continue
    stream.send({ name: 'execution', id: event.id, data: described.data })
    isOver = described.isOver
  }
  return isOver
}

/** Sends events in their order, each with the records as they are when it is sent. */
function pump(
  { store, feed }: Deps,
  stream: SseStream,
  teamId: string,
  from: string,
  attackId: string | undefined,
): Promise<void> {
  let queue = Promise.resolve()
  const send = async (event: TeamEvent) => {
    const described = stream.closed.aborted ? undefined : await describe(store, teamId, event)
    if (!described) return
    stream.send({ name: 'execution', id: event.id, data: described.data })
    if (attackId === undefined || !described.isOver) return
    stream.send({ name: 'end', id: event.id, data: described.data.attack })
    stream.end()
  }
  return new Promise((resolve) => {
    const stop = feed.listen(teamId, from, (event) => {
      if (attackId === undefined || event.attackId === attackId)
        queue = queue.then(() => send(event)).catch(() => stream.end())
    })
    const finish = () => {
      stop()
      resolve()
    }
    if (stream.closed.aborted) finish()
    else stream.closed.addEventListener('abort', finish, { once: true })
  })
}

async function describe(store: Store, teamId: string, event: TeamEvent) {
  const [record, executions] = await Promise.all([
    store.attacks.find(teamId, event.attackId),
    store.executions.ofAttacks(teamId, [event.attackId]),
  ])
  const all = executions[0] ?? []
  const execution = all.find((one) => one.id === event.executionId)
  if (!record || !execution || !isStage(event.stage)) return undefined
  const data: ExecutionEvent = {
    attack_id: event.attackId,
    execution_id: event.executionId,
    stage: event.stage,
    attack: toAttack(record, all),
    execution: toExecution(record, execution),
  }
  // The records may be further on than the event: the last event is the one that says so itself.
  const isOver = isTerminal(event.stage) && all.every((one) => isTerminal(one.stage))
  return { data, isOver }
}
