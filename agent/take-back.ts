import type { Fault, UndoRecord } from './faults/fault.ts'

/**
 * Takes back what the records say, the newest first, each whatever became of those before it.
 * @param stop what is tried before them
 * @returns what is left behind, for people; undefined when nothing is
 */
export async function takeBack(
  fault: Pick<Fault, 'undo'>,
  records: readonly UndoRecord[],
  stop: () => Promise<void> | undefined = () => undefined,
): Promise<string | undefined> {
  const problems = new Set<string>()
  const steps = [stop, ...records.toReversed().map((record) => () => fault.undo(record))]
  for (const step of steps)
    try {
      await step()
    } catch (error) {
      problems.add(error instanceof Error ? error.message : String(error))
    }
  return problems.size > 0 ? `Something is left behind: ${[...problems].join(' ')}` : undefined
}
