import { FaultError, type FaultContext, type UndoRecord } from '../faults/fault.ts'
import { findByArgument, killAndWait } from '../host/processes.ts'
import { deleteTable } from './gate.ts'
import { isInUse } from './in-force.ts'
import { removeLink } from './link.ts'
import { markerOf, type TargetTraffic } from './target-traffic.ts'

/** The tables and devices of an attack are all named after its id. */
export function tableName(kind: string, { id }: Pick<TargetTraffic, 'id'>): string {
  return `temblor_${kind}_${id}`
}

/** Names of devices have at most 15 characters. */
export function linkName({ id }: Pick<TargetTraffic, 'id'>): string {
  return `tb${id}`
}

export function undoTable(kind: string, family: string, traffic: TargetTraffic): UndoRecord {
  return { ...place(traffic), what: 'table', family, table: tableName(kind, traffic) }
}

export function undoLink(traffic: TargetTraffic): UndoRecord {
  return { ...place(traffic), what: 'link', link: linkName(traffic) }
}

export function undoProcesses(context: FaultContext, traffic: TargetTraffic): UndoRecord {
  return { ...place(traffic), what: 'process', marker: markerOf(context, traffic) }
}

/**
 * Takes back what a record names if it is there. What other executions of the attack still use, and
 * what is gone with its namespace, is left alone.
 * @throws ToolError, FaultError when something is left
 */
export async function undoNetwork(record: UndoRecord): Promise<void> {
  const text = (name: string) => String(record[name])
  const number = (name: string) => Number(record[name])
  if (isInUse(text('id'))) return undefined
  if (record['what'] === 'process') return endProcesses(text('marker'))
  const namespace = { inode: number('namespace'), pid: number('pid') }
  return record['what'] === 'table'
    ? deleteTable(namespace, text('family'), text('table'))
    : removeLink(namespace, text('link'))
}

function place({ id, namespace }: TargetTraffic): Record<string, string | number> {
  return { id, namespace: namespace.inode, pid: namespace.pid }
}

async function endProcesses(marker: string): Promise<void> {
  for (const process of findByArgument(marker))
    if (!(await killAndWait(process)))
      throw new FaultError('failed', `The helper process ${process.pid} does not end.`, {
        mayBeActive: true,
      })
}
