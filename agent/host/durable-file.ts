import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file so that after a power cut either the old or the new text is there, whole. When it
 * returns, the text is on disk. Synchronous on purpose: what follows may be a side effect that the
 * text must precede. The file is readable by its owner only.
 */
export function writeDurably(path: string, text: string): void {
  const temporary = `${path}.tmp`
  const fd = openSync(temporary, 'w', 0o600)
  try {
    writeSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(temporary, path)
  syncFolder(dirname(path))
}

/** Removes a file and makes the removal durable. */
export function removeDurably(path: string): void {
  unlinkSync(path)
  syncFolder(dirname(path))
}

/** Makes a folder that only its owner may enter, with its parents. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
