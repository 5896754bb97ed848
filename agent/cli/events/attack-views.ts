import type { ApiClient } from '../../../shared/api/client.ts'
import { type ExecutionEvent, watchAttack, watchTeam } from '../../../shared/api/events.ts'
import type { Attack, Execution } from '../../../shared/api/records.ts'
import { readView } from '../commands/attack-show.ts'
import type { AttackView } from '../output/attack-view.ts'
import { followEvents, isPassing } from './follow-events.ts'

/** The attack as it is after an event; `event` is missing in the last one, when it is over. */
export interface ViewStep {
  readonly view: AttackView
  readonly event?: ExecutionEvent
}

/** An attack as it goes on, from where it stands to its end. Ends early with the signal. */
export async function* watchViews(
  api: ApiClient,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<ViewStep> {
  const executions = new Map<string, Execution>()
  const open = (lastId: string | undefined, aborted: AbortSignal) =>
    api.open(watchAttack, { params: { guid: id }, headers: resumeAfter(lastId), signal: aborted })
  for await (const { name, data } of followEvents(open, signal)) {
    if (name === 'end') {
      const heard = { attack: JSON.parse(data) as Attack, executions: [...executions.values()] }
      yield { view: await endOf(api, heard) }
      return
    }
    if (name !== 'execution') continue
    const event = JSON.parse(data) as ExecutionEvent
    executions.set(event.execution_id, event.execution)
    yield { view: { attack: event.attack, executions: [...executions.values()] }, event }
  }
}

/** What becomes of all attacks of the team, from now on. */
export async function* watchAll(
  api: ApiClient,
  signal: AbortSignal,
): AsyncGenerator<ExecutionEvent> {
  const open = (lastId: string | undefined, aborted: AbortSignal) =>
    api.open(watchTeam, { headers: resumeAfter(lastId), signal: aborted })
  for await (const { name, data } of followEvents(open, signal))
    if (name === 'execution') yield JSON.parse(data) as ExecutionEvent
}

/** The records as they are in the end: events may have been lost while the connection was. */
async function endOf(api: ApiClient, heard: AttackView): Promise<AttackView> {
  try {
    return await readView(api, heard.attack.guid)
  } catch (error) {
    if (isPassing(error)) return heard
    throw error
  }
}

function resumeAfter(lastId: string | undefined): { 'last-event-id'?: string } {
  return lastId === undefined ? {} : { 'last-event-id': lastId }
}
