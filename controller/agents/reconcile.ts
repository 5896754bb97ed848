import type { Logger } from 'pino'
import type { Hello__Output } from '../../proto/gen/temblor/agent/v1/Hello.ts'
import type { Executions, HostSession } from '../store/executions.ts'

const forgottenMessage =
  'The agent came back without a record of this execution, so it is not running there.'

/** An agent that came back. */
interface Returned {
  readonly teamId: string
  readonly session: HostSession
  readonly hello: Hello__Output
}

/**
 * After a reconnect: what the agent has forgotten ends here; what only the agent knows is to be halted, so that
 * nothing runs without a record.
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
  for (const order of waiting) known.add(order.executionId)
  for (const execution of open)
    if (!known.has(execution.id))
      await executions.end(teamId, execution, {
        reason: 'agent_restarted',
        message: forgottenMessage,
        epoch,
      })
  for (const { executionId, generation } of hello.knownExecutions)
    if (!(await executions.find(teamId, executionId))) {
      logger.warn({ host, executionId }, 'halting an unknown execution')
      halt({ executionId, generation: generation + 1 })
    }
}
