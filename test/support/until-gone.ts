import { stillThere, type ProcessInfo } from './processes.ts'
import { until } from './until.ts'

/**
 * Waits until none of these processes lives. What hashes passwords lets everything else on the machine go first, at its
 * own end too, when its controller was killed.
 */
export async function untilGone(all: readonly ProcessInfo[], withinMs = 5000): Promise<void> {
  await until(
    'no process is left',
    () => {
      const left = stillThere(all)
      if (left.length > 0) throw new Error(left.map(({ command }) => command).join('; '))
      return true
    },
    withinMs,
  )
}
