import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { processes } from './processes.ts'

/** Settings of the kernel that count instead of setting something. */
const counting = /\/nf_conntrack_count$|\/stable_secret$|\/flush$/
/** Of larger files the size is compared. */
const digestedBytes = 4 * 1024 * 1024
const deepest = 12

/** The settings of the kernel below a folder, as `path = value`. */
export function captureSysctls(folder: string): string[] {
  return walk(folder)
    .filter(({ path, stat }) => stat.isFile() && !counting.test(path))
    .map(({ path }) => `${path} = ${read(path)?.toString().trim() ?? 'unreadable'}`)
}

/** Commands of processes that carry an argument which starts with the marker. */
export function captureProcesses(marker: string): string[] {
  return processes()
    .map(({ command }) => command)
    .filter((command) => command.split(' ').some((argument) => argument.startsWith(marker)))
    .sort()
}

/** Control groups that are named after us. */
export function captureGroups(folder: string): string[] {
  return walk(folder)
    .filter(({ path, stat }) => stat.isDirectory() && path.includes('temblor'))
    .map(({ path }) => path)
}

/** Files below a folder with mode, owner and a digest of what they hold. */
export function captureFiles(folder: string, except: readonly string[] = []): string[] {
  const isExcept = (path: string) =>
    except.some((one) => path === one || (one.endsWith('/') && path.startsWith(one)))
  return walk(folder)
    .filter(({ path }) => !isExcept(path))
    .map(
      ({ path, stat }) =>
        `${path} ${(stat.mode & 0o7777).toString(8)} ${stat.uid}:${stat.gid} ${contentOf(path, stat)}`,
    )
}

function contentOf(path: string, stat: Stats): string {
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(path)}`
  if (stat.isDirectory()) return 'folder'
  if (!stat.isFile()) return stat.isSocket() ? 'socket' : 'special'
  if (stat.size > digestedBytes) return `${stat.size} bytes`
  const data = read(path)
  return data ? createHash('sha256').update(data).digest('hex') : 'unreadable'
}

function walk(folder: string, depth = 0): { path: string; stat: Stats }[] {
  return names(folder).flatMap((name) => {
    const path = join(folder, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat) return []
    const below = stat.isDirectory() && depth < deepest ? walk(path, depth + 1) : []
    return [{ path, stat }, ...below]
  })
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
