import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
/** Takes hold of a file without opening it: no device notices, no pipe is waited for. Node does not name it. */
const O_PATH = 0o10_000_000

/** Longer files are read so far. */
const lengthLimit = 1024 * 1024
const linkLimit = 40

/**
 * The text of a file as programs see it whose root is `root`. What lies there may be somebody's who means this host
 * ill: links do not lead out, and nothing but a plain file is opened, since opening alone can wait for ever (a pipe) or
 * reset the machine (its watchdog). Each name is looked at in a folder that is held, so that nothing changes meanwhile.
 * @returns '' when there is no such file
 */
export function readTextBelow(root: string, path: string): string {
  const held: number[] = []
  const hold = (at: string, flags: number): number => {
    const fd = openSync(at, O_PATH | flags)
    held.push(fd)
    return fd
  }
  try {
    return readPlain(findBelow(root || '/', path, hold))
  } catch {
    return ''
  } finally {
    for (const fd of held) closeSync(fd)
  }
}

/** @throws Error when there is no such file */
function findBelow(
  root: string,
  path: string,
  hold: (at: string, flags: number) => number,
): number {
  const top = hold(root, O_DIRECTORY)
  let folders = [top]
  const names = namesOf(path)
  let found = top
  for (let links = 0; names.length > 0;) {
    const name = names.shift() ?? ''
    if (name === '..') {
      folders = folders.slice(0, Math.max(1, folders.length - 1))
      continue
    }
    const at = `/proc/self/fd/${folders.at(-1)}/${name}`
    found = hold(at, O_NOFOLLOW)
    const kind = fstatSync(found)
    if (kind.isDirectory()) folders.push(found)
    else if (!kind.isSymbolicLink() && names.length > 0) throw new Error('no folder')
    if (!kind.isSymbolicLink()) continue
    links += 1
    if (links > linkLimit) throw new Error('too many links')
    const target = readlinkSync(at)
    if (target.startsWith('/')) folders = [top]
    names.unshift(...namesOf(target))
  }
  return found
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

/** @throws Error for what is no plain file */
function readPlain(found: number): string {
  if (!fstatSync(found).isFile()) throw new Error('no file')
  const fd = openSync(`/proc/self/fd/${found}`, O_RDONLY | O_NONBLOCK)
  try {
    const bytes = Buffer.alloc(lengthLimit)
    let length = 0
    for (let read = -1; read !== 0 && length < lengthLimit;) {
      read = readSync(fd, bytes, length, lengthLimit - length, null)
      length += read
    }
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(fd)
  }
}
