import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { tmpdir } from 'node:os'

/** A Unix socket's path may have 107 bytes; some are left for the kernel's sake. */
const longestPathBytes = 100

/** Where the agent with this state folder listens for the command line. */
export function controlSocketPath(stateDir: string): string {
  const path = join(stateDir, 'agent.sock')
  if (Buffer.byteLength(path) <= longestPathBytes) return path
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 16)
  return join(tmpdir(), `temblor-${process.getuid?.() ?? 0}-${digest}`, 'agent.sock')
}
