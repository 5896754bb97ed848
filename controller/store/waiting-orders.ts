import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

const read = loadScript('read-orders')

/** What the script says of each order. */
const fieldsOfOrder = 8

/** An order that waits for a host. */
export interface WaitingOrder {
  readonly executionId: string
  readonly generation: number
}

/** The same with what the agent is told. */
export interface FullOrder extends WaitingOrder {
  readonly containerId: string
  readonly containerName: string
  readonly attackId: string
  readonly type: string
  readonly paramsJson: string
  readonly startByMs: number
}

/** The orders that a host can be given now. */
export async function readOrders(
  redis: Redis,
  teamId: string,
  host: string,
): Promise<{ nowMs: number; orders: FullOrder[] }> {
  const [nowMs, ...values] = (await read.run(
    redis,
    [keys.outbox(teamId, host)],
    [keys.executionPrefix(teamId), keys.attackPrefix(teamId)],
  )) as [number, ...string[]]
  const orders: FullOrder[] = []
  for (let at = 0; at < values.length; at += fieldsOfOrder) {
    const [executionId = '', generation, containerId = '', containerName = '', ...ofAttack] =
      values.slice(at, at + fieldsOfOrder)
    const [attackId = '', type = '', paramsJson = '{}', startByMs] = ofAttack
    orders.push({
      executionId,
      generation: Number(generation),
      containerId,
      containerName,
      attackId,
      type,
      paramsJson,
      startByMs: Number(startByMs),
    })
  }
  return { nowMs, orders }
}
