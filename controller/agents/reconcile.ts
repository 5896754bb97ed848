import type { Logger } from 'pino'
import type { Hello__Output } from '../../proto/gen/temblor/agent/v1/Hello.ts'
import { isTerminal } from '../../shared/stages.ts'
import type { ExecutionRecord, Executions, HostSession } from '../store/executions.ts'

const forgottenMessage =
  'The agent came back without a record of this execution, so it is not running there.'

/** An agent that came back. */
interface Returned {
  readonly teamId: string
  readonly session: HostSession
  readonly hello: Hello__Output
}

/**
 * After a reconnect: what the agent has forgotten ends here; what only the agent knows, or what is over on record, is to
 * be halted, so that nothing runs without a record.
 */
export async function reconcile(
  { executions, logger }: { executions: Executions; logger: Logger },
  { teamId, session, hello }: Returned,
  halt: (unknown: { executionId: string; generation: number }) => void,
): Promise<void> {
  const { host, epoch } = session
  const known = new Set(hello.knownExecutions.map((execution) => execution.executionId))
  // In this order: an attack that is created meanwhile must not look forgotten.
  const open = await executions.openOn(teamId, host)
  const waiting = await executions.waitingOrders(teamId, host)
  const ordered = new Set(waiting.map((order) => order.executionId))
  // What was never heard of there follows its order. What was has run: it is neither begun again nor halted.
  const isToCome = ({ id, seq }: ExecutionRecord) => seq === 0 && ordered.has(id)
  for (const execution of open)
    if (!known.has(execution.id) && !isToCome(execution))
      await executions.end(teamId, execution, {
        reason: 'agent_restarted',
        message: forgottenMessage,
        epoch,
      })
  for (const { executionId, generation } of hello.knownExecutions) {
    const execution = await executions.find(teamId, executionId)
    if (!execution) logger.warn({ host, executionId }, 'halting an unknown execution')
    // A host that was revoked while nobody could reach it, and allowed again, runs what is over on record.
    if (!execution || isTerminal(execution.stage)) halt({ executionId, generation: generation + 1 })
  }
}
