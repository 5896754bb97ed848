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
  watchTeam(stream: SseStream, teamId: string, from: string): Promise<void>
}

/** Makes the service of event streams. */
export function createWatchService(store: Store, feed: EventFeed): WatchService {
  const describe = async (teamId: string, event: TeamEvent) => {
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

  /** Sends events in order, each with the records as they are when it is sent. */
  const pump = (
    stream: SseStream,
    teamId: string,
    from: string,
    wanted: (event: TeamEvent) => boolean,
    until: (isOver: boolean) => boolean,
  ): Promise<void> => {
    let queue = Promise.resolve()
    const send = async (event: TeamEvent) => {
      if (stream.closed.aborted) return
      const described = await describe(teamId, event)
      if (!described) return
      stream.send({ name: 'execution', id: event.id, data: described.data })
      if (!until(described.isOver)) return
      stream.send({ name: 'end', id: event.id, data: described.data.attack })
      stream.end()
    }
    return new Promise((resolve) => {
      const stop = feed.listen(teamId, from, (event) => {
        if (wanted(event)) queue = queue.then(() => send(event)).catch(() => stream.end())
      })
      const finish = () => {
        stop()
        resolve()
      }
      if (stream.closed.aborted) finish()
      else stream.closed.addEventListener('abort', finish, { once: true })
    })
  }

  return {
    async mustExist(teamId, attackId) {
      if (!(await store.attacks.find(teamId, attackId))) throw attackNotFound(attackId)
    },
    async watchAttack(stream, teamId, attackId, resume) {
      const from = resume ?? (await feed.lastId(teamId))
      const executions = (await store.executions.ofAttacks(teamId, [attackId]))[0] ?? []
      let isOver = executions.every((execution) => isTerminal(execution.stage))
      const past = resume
        ? (await feed.since(teamId, resume)).filter((event) => event.attackId === attackId)
        : executions.map(({ id, stage }) => ({ id: from, attackId, executionId: id, stage }))
      for (const event of past) {
        const described = await describe(teamId, event)
        if (described) stream.send({ name: 'execution', id: event.id, data: described.data })
        isOver = described?.isOver ?? isOver
      }
      if (isOver) {
        const record = await store.attacks.find(teamId, attackId)
        if (record) stream.send({ name: 'end', data: toAttack(record, executions) })
        return stream.end()
      }
      const last = past.at(-1)?.id ?? from
      return await pump(stream, teamId, last, (event) => event.attackId === attackId, Boolean)
    },
    watchTeam: (stream, teamId, from) =>
      pump(
        stream,
        teamId,
        from,
        () => true,
        () => false,
      ),
  }
}
