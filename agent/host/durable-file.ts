import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file so that after a power cut either the old or the new text is there, whole. When it
 * returns, the text is on disk. Synchronous on purpose: what follows may be a side effect that the
 * text must precede. The file is readable by its owner only.
 * @throws Error of the system; the old text is there then, unless the folder alone could not be synced
 */
export function writeDurably(path: string, text: string): void {
  const temporary = `${path}.tmp`
  try {
    const fd = openSync(temporary, 'w', 0o600)
    try {
      // One write(2) may take a part only, as on a disk that is about to be full.
      writeFileSync(fd, text)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
  } catch (error) {
    removeIfPossible(temporary)
    throw error
  }
  syncFolder(dirname(path))
}

/** Removes a file, if it is there, and makes the removal durable. */
export function removeDurably(path: string): void {
  rmSync(path, { force: true })
  syncFolder(dirname(path))
}

/** Makes a folder that only its owner may enter, with its parents. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

/** Half a file is of no use and takes room that may be what is missing. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // Why it could not be written is what counts.
  }
}

function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
