import { setTimeout as sleep } from 'node:timers/promises'
import { watchToEnd } from '../../agent/cli/commands/attack-watch.ts'
import type { AttackView } from '../../agent/cli/output/attack-view.ts'
import type { CliIo } from '../../agent/cli/output/io.ts'
import { createAttack, type CreateAttackBody } from '../../shared/api/attacks.ts'
import { listExecutions } from '../../shared/api/executions.ts'
import { type Execution } from '../../shared/api/records.ts'
import type { ApiClient } from '../../shared/api/client.ts'
import { observeContainer, observeHost, type Observation } from './observe.ts'
import type { DemoTarget } from './targets.ts'

/** After the last report the watch goes on for this long, to see whether anything comes after it. */
const afterwardsMs = 700

/** One attack as asked, as reported and as an onlooker saw it. */
export interface AttackResult extends AttackView {
  /** Epoch ms. */
  readonly requestedAt: number
  readonly seenOnHost: Observation
  /** By container id. */
  readonly seenInContainers: ReadonlyMap<string, Observation>
}

interface Context {
  readonly api: ApiClient
  readonly io: CliIo
  readonly signal: AbortSignal
  readonly targets: readonly DemoTarget[]
}

/** Runs an attack to its end and watches host and containers meanwhile. */
export async function runObserved(
  { api, io, signal, targets }: Context,
  body: CreateAttackBody,
): Promise<AttackResult> {
  let hostExecution: string | undefined
  const host = observeHost(() => hostExecution)
  const inContainers = targets.map(
    (target) => [target.id, observeContainer(target.initPid)] as const,
  )
  let seenOnHost: Observation | undefined
  const seenInContainers = new Map<string, Observation>()
  let view: AttackView | undefined
  let requestedAt = Date.now()
  try {
    await sleep(100)
    requestedAt = Date.now()
    const id = await api.call(createAttack, { body })
    const executions = await api.call(listExecutions, { query: { taskId: id } })
    hostExecution = executions.find((execution) => execution.target_type === 'Host')?.guid
    view = await watchToEnd(api, io, id, signal)
    await sleep(afterwardsMs)
  } finally {
    seenOnHost = host.finish()
    for (const [id, observer] of inContainers) seenInContainers.set(id, observer.finish())
  }
  if (!view) throw new DOMException('Interrupted.', 'AbortError')
  return { ...view, requestedAt, seenOnHost, seenInContainers }
}

/** When the fault had to be over: the agent's start of it plus the length that was asked for. */
export function plannedEndMs(execution: Execution, lengthSeconds: number): number | undefined {
  const running = execution.client_states.find((state) => state.stage === 'Running')
  return running && Date.parse(running.timestamp) + lengthSeconds * 1000
}
