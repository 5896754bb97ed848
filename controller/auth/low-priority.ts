import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** As `nice` counts: such a thread gets a tenth of what another of the same core does, and all that is idle. */
const niceness = 10

/**
 * Lets the threads of Node's pool yield the CPU to everything else: passwords are hashed there, and a flood of
 * logins must not slow down attacks, heartbeats and Redis on the same host. Call it when the pool has begun to
 * work. Where there is no /proc nothing changes.
 */
export function yieldPoolThreads(): void {
  for (const thread of threads())
    try {
      const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
      if (name === 'libuv-worker') setPriority(Number(thread), niceness)
    } catch {
      // It ended meanwhile, or may not be changed.
    }
}

function threads(): string[] {
  try {
    return readdirSync('/proc/self/task')
  } catch {
    return []
  }
}
