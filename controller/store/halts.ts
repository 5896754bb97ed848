import { allowedFrom } from '../../shared/stages.ts'
import type { WrittenOrder, WrittenOrders } from './creation-result.ts'
import { isId, keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

const halt = loadScript('halt-attack')

/** So many executions are halted by one script, and so many scripts are on their way at once. */
const sliceSize = 50
const slicesAtOnce = 4

/** Who halts, and why; for people. */
export interface HaltedBy {
  readonly who: string
  readonly reason: string
  readonly reference: string
}

/**
 * Orders the end of an attack. All of it is on disk when this returns; from the first slice on, no host is given its
 * order to begin.
 * @param onWritten hears of orders to halt as soon as they are written
 * @returns all hosts that have something to halt, or undefined when there is no such attack
 */
export async function haltAttack(
  redis: Redis,
  teamId: string,
  attackId: string,
  by: HaltedBy,
  onWritten: (written: WrittenOrders) => void = () => undefined,
): Promise<string[] | undefined> {
  if (!isId(attackId)) return undefined
  const halted = new Set<string>()
  const haltSlice = async (from: number): Promise<number | undefined> => {
    const askedMs = performance.now()
    const [kind, size, nowMs, ...values] = (await halt.run(
      redis,
      [
        keys.attack(teamId, attackId),
        keys.attackExecutions(teamId, attackId),
        keys.events(teamId),
        keys.unwrittenAttacks(teamId),
      ],
      [
        attackId,
        by.who,
        allowedFrom('Halt').join(),
        keys.executionPrefix(teamId),
        keys.outboxPrefix(teamId),
        by.reason,
        by.reference,
        from,
        from + sliceSize - 1,
      ],
    )) as [string, number, number, ...(string | number)[]]
    if (kind === 'unknown') return undefined
    const orders = toOrders(attackId, values)
    for (const { host } of orders) halted.add(host)
    if (orders.length > 0) onWritten({ nowMs, askedMs, orders })
    return size
  }
  const size = await haltSlice(0)
  if (size === undefined) return undefined
  const rest = Array.from({ length: Math.ceil(size / sliceSize) - 1 }, (_, at) => at + 1)
  for (let at = 0; at < rest.length; at += slicesAtOnce) {
    const slices = rest.slice(at, at + slicesAtOnce)
    await Promise.all(slices.map((slice) => haltSlice(slice * sliceSize)))
  }
  return [...halted]
}

/** An order to halt says no more than what is to be halted. */
const justHalt = {
  containerId: '',
  containerName: '',
  type: '',
  paramsJson: '{}',
  startByMs: 0,
  controllerId: undefined,
}

function toOrders(attackId: string, values: readonly (string | number)[]): WrittenOrder[] {
  return Array.from({ length: values.length / 3 }, (_, at) => {
    const [host, executionId, generation] = values.slice(3 * at, 3 * at + 3)
    return {
      ...justHalt,
      attackId,
      host: String(host),
      executionId: String(executionId),
      generation: Number(generation),
    }
  })
}
