import { ApiError } from '../../../shared/api/errors.ts'
import type { ExecutionEvent } from '../../../shared/api/events.ts'
import { isStage, isTerminal, stages } from '../../../shared/stages.ts'
import { compareIds, type EventFeed, type TeamEvent } from '../../events/feed.ts'
import type { SseStream } from '../../events/sse.ts'
import { toAttack, toExecution } from '../../records/attacks.ts'
import { attackNotFound } from '../../records/not-found.ts'
import type { Store } from '../../store/store.ts'
import { createSummaries, type Summaries } from './summaries.ts'

export interface WatchService {
  /** Where a stream begins. @throws ApiError `invalid_body` for an id that has not been given out */
  startAt(teamId: string, resume: string | undefined): Promise<string>
  /** @throws ApiError `attack_not_found` */
  mustExist(teamId: string, attackId: string): Promise<void>
  /** Sends where the executions stand (unless resumed), then every move, then `end`. */
  watchAttack(stream: SseStream, watched: WatchedAttack): Promise<void>
  /** Sends every move of the team after `from`. */
  watchTeam(stream: SseStream, teamId: string, from: string): Promise<void>
}

export interface WatchedAttack {
  readonly teamId: string
  readonly attackId: string
  readonly from: string
  readonly isResumed: boolean
}

/** Makes the service of event streams. */
export function createWatchService(store: Store, feed: EventFeed): WatchService {
  const summaries = createSummaries(store)
  const tell = (event: TeamEvent, teamId: string) => describe({ store, summaries }, teamId, event)
  return {
    async startAt(teamId, resume) {
      const last = await feed.lastId(teamId)
      if (resume === undefined || compareIds(resume, last) <= 0) return resume ?? last
      throw new ApiError(
        'invalid_body',
        `Last-Event-ID cannot be ${resume}: there is no such event yet. Leave it out, or send the id of an event.`,
        { details: { field: 'Last-Event-ID', value: resume } },
      )
    },
    async mustExist(teamId, attackId) {
      if (!(await store.attacks.find(teamId, attackId))) throw attackNotFound(attackId)
    },
    watchAttack: (stream, watched) => watchAttack({ store, feed, tell }, stream, watched),
    watchTeam(stream, teamId, from) {
      stream.mark(from)
      const send = async (event: TeamEvent) => {
        const data = await tell(event, teamId)
        if (data) stream.send({ name: 'execution', id: event.id, data })
      }
      return pump(feed, stream, { teamId, from }, send)
    },
  }
}

interface WatchDeps {
  readonly store: Store
  readonly feed: EventFeed
  readonly tell: (event: TeamEvent, teamId: string) => Promise<ExecutionEvent | undefined>
}

async function watchAttack(
  { store, feed, tell }: WatchDeps,
  stream: SseStream,
  { teamId, attackId, from, isResumed }: WatchedAttack,
): Promise<void> {
  stream.mark(from)
  const executions = (await store.executions.ofAttacks(teamId, [attackId]))[0] ?? []
  const past = isResumed
    ? (await feed.since(teamId, from)).filter((event) => event.attackId === attackId)
    : executions.map(({ id, stage }) => ({ id: from, attackId, executionId: id, stage }))
  // Told to its end: here below, or before the connection broke.
  const told = new Set(executions.filter(({ stage }) => isTerminal(stage)).map(({ id }) => id))
  for (const { executionId } of past) told.delete(executionId)
  const endIfOver = async (id: string) => {
    if (told.size < executions.length) return
    const record = await store.attacks.find(teamId, attackId)
    const [last = []] = await store.executions.briefOfAttacks(teamId, [attackId])
    if (record) stream.send({ name: 'end', id, data: toAttack(record, last) })
    stream.end()
  }
  const furthest = new Map<string, number>()
  const send = async (event: TeamEvent) => {
    if (event.attackId !== attackId) return
    const data = await tell(event, teamId)
    if (!data) return
    // What lies before the stage in which the watcher found it is not told after it.
    const rank = stages.indexOf(data.stage)
    if (rank < (furthest.get(event.executionId) ?? 0)) return
    furthest.set(event.executionId, rank)
    stream.send({ name: 'execution', id: event.id, data })
    if (isTerminal(data.stage)) told.add(event.executionId)
    await endIfOver(event.id)
  }
  for (const event of past) await send(event)
  if (past.length === 0) await endIfOver(from)
  await pump(feed, stream, { teamId, from: past.at(-1)?.id ?? from }, send)
}

/** Hands on events in their order until the reader is gone, the stream ended, or we stop. */
function pump(
  feed: EventFeed,
  stream: SseStream,
  { teamId, from }: { teamId: string; from: string },
  send: (event: TeamEvent) => Promise<void>,
): Promise<void> {
  if (stream.closed.aborted) return Promise.resolve()
  let queue = Promise.resolve()
  return new Promise((resolve) => {
    const stop = feed.listen(teamId, from, (event) => {
      queue = queue
        .then(() => (stream.closed.aborted ? undefined : send(event)))
        .catch(() => stream.end())
    })
    const onClosing = () => stream.end()
    feed.closing.addEventListener('abort', onClosing, { once: true })
    stream.closed.addEventListener(
      'abort',
      () => {
        stop()
        feed.closing.removeEventListener('abort', onClosing)
        resolve()
      },
      { once: true },
    )
  })
}

/** The event with the records as they are now. */
async function describe(
  { store, summaries }: { store: Store; summaries: Summaries },
  teamId: string,
  event: TeamEvent,
): Promise<ExecutionEvent | undefined> {
  const [record, execution] = await Promise.all([
    store.attacks.find(teamId, event.attackId),
    store.executions.find(teamId, event.executionId),
  ])
  if (!record || !execution || !isStage(event.stage)) return undefined
  return {
    attack_id: event.attackId,
    execution_id: event.executionId,
    stage: event.stage,
    attack: toAttack(record, await summaries.of(record)),
    execution: toExecution(record, execution),
  }
}
