import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import koffi from 'koffi'
import { PlainError } from '../plain-error.ts'

/** From <sys/file.h>; the same on every Linux. */
const lockExclusive = 2
const lockNonBlocking = 4

/** Another process owns the state folder; the message names it. */
export class LockedError extends PlainError {
  constructor(folder: string, owner: string) {
    super(`${folder} is in use by another agent${owner ? ` (process ${owner})` : ''}.`)
    this.name = 'LockedError'
  }
}

/**
 * Locks a state folder for as long as this process lives, so that no two processes ever act on one
 * journal. The kernel releases it when the process ends, however that happens.
 * @throws LockedError when another process holds it
 */
export function lockFolder(folder: string): { release(): void } {
  const path = join(folder, 'lock')
  const fd = openSync(path, 'a', 0o600)
  const flock = koffi.load(null).func('int flock(int fd, int operation)')
  if (flock(fd, lockExclusive | lockNonBlocking) !== 0) {
    closeSync(fd)
    throw new LockedError(folder, readFileSync(path, 'utf8').trim())
  }
  nameOwner(fd)
  return { release: () => closeSync(fd) }
}

/** For people; on a disk without room it stays unsaid. */
function nameOwner(fd: number): void {
  try {
    ftruncateSync(fd)
    writeSync(fd, String(process.pid))
  } catch {
    // The lock is the kernel's and needs no room.
  }
}
