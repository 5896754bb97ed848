import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A Unix socket's path may have 107 bytes; some are left for the kernel's sake. */
const longestPathBytes = 100

/** Where the agent with this state folder listens for the command line. */
export function controlSocketPath(stateDir: string): string {
  const path = join(stateDir, 'agent.sock')
  if (Buffer.byteLength(path) <= longestPathBytes) return path
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 16)
  return join(tmpdir(), `temblor-${process.getuid?.() ?? 0}-${digest}`, 'agent.sock')
}

/**
 * Whether the folder of a socket is this user's own. In the shared folder for temporary files
 * somebody else may have made one of that name first.
 */
export function isOwnFolder(socketPath: string): boolean {
  const folder = lstatSync(dirname(socketPath), { throwIfNoEntry: false })
  return folder !== undefined && folder.isDirectory() && folder.uid === process.getuid?.()
}
