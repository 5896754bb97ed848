import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

const read = loadScript('read-orders')

/** What the script says of each attack, and of each order. */
const fieldsOfAttack = 4
const fieldsOfOrder = 5

/** So many orders are read by one script; those of one host are never torn apart. */
const mostOrders = 200

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

/** The orders that a host can be given, and Redis' clock at the moment at which they were read. */
export interface OrdersOfHost {
  readonly nowMs: number
  readonly orders: readonly FullOrder[]
}

/** The orders that some hosts can be given now; of many orders, those of the first hosts. */
export async function readOrders(
  redis: Redis,
  teamId: string,
  hosts: readonly string[],
): Promise<OrdersOfHost[]> {
  const [nowMs, attacks, ...found] = (await read.run(
    redis,
    [keys.due(teamId)],
    [
      keys.executionPrefix(teamId),
      keys.attackPrefix(teamId),
      keys.outboxPrefix(teamId),
      mostOrders,
      ...hosts,
    ],
  )) as [number, string[], ...(string | number)[][]]
  return found.map((values) => ({
    nowMs,
    orders: inGroups(values, fieldsOfOrder).map((order) => toOrder(order, attacks)),
  }))
}

function toOrder(values: readonly (string | number)[], attacks: readonly string[]): FullOrder {
  const [executionId, generation, containerId, containerName, number] = values
  const at = Number(number) * fieldsOfAttack
  const [attackId = '', type = '', paramsJson = '{}', startByMs] = attacks.slice(
    at,
    at + fieldsOfAttack,
  )
  return {
    executionId: String(executionId),
    generation: Number(generation),
    containerId: String(containerId),
    containerName: String(containerName),
    attackId,
    type,
    paramsJson,
    startByMs: Number(startByMs),
  }
}

function inGroups<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: values.length / size }, (_, at) =>
    values.slice(at * size, (at + 1) * size),
  )
}
