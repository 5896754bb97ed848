import { timestamp } from '../../shared/api/timestamp.ts'
import { goingDownOf } from '../agents/orders.ts'
import type { ExecutionRecord, Verdict } from '../store/executions.ts'
import type { Store } from '../store/store.ts'

/**
 * What it means that nothing was heard of an execution by its due time. A host that said that it was
 * about to power off and is silent since then did as asked.
 */
export async function verdictOn(
  store: Store,
  teamId: string,
  execution: ExecutionRecord,
): Promise<Verdict> {
  const { stage, host, clientStates } = execution
  if (stage === 'Pending')
    return lost('The host did not take the order in time. It will not start any more.')
  const silent = `The host ${host} has not been heard of since its last report.`
  const attack = await store.attacks.find(teamId, execution.attackId)
  const goingDown = attack && goingDownOf(attack, execution)
  // Only the agent itself says that it strikes; a halt that came too late changes nothing about it.
  if (!goingDown || clientStates.at(-1)?.stage !== 'TearingDown')
    return lost(`${silent} The fault ends there by itself.`)
  const { settleSeconds, comesBack } = goingDown
  if (comesBack) return lost(`${silent} It went down and did not come back in ${settleSeconds} s.`)
  const heard = await store.hosts.lastHeard(teamId, host)
  if (heard?.isAlive)
    return lost(`The host ${host} was to power off and is still heard of after ${settleSeconds} s.`)
  const since = heard ? ` since ${timestamp(heard.atMs)}` : ''
  const message = `The host ${host} said that it powers off and has been silent${since}.`
  return { reason: 'completed', message }
}

function lost(message: string): Verdict {
  return { reason: 'agent_silent', message }
}
