import { randomUUID } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The folder that holds everything one local Temblor keeps; held by one process at a time. */
export interface DataDir {
  readonly path: string
  readonly logsPath: string
  /** Lets the next process have it. */
  release(): void
}

/**
 * Makes the folder (0700) if need be and takes it.
 * @throws Error naming the process that has it
 */
export function openDataDir(dir: string): DataDir {
  const absolute = path.resolve(dir)
  mkdirSync(absolute, { recursive: true, mode: 0o700 })
  chmodSync(absolute, 0o700)
  const lockFile = path.join(absolute, 'temblor.lock')
  takeLock(absolute, lockFile)
  const logsPath = path.join(absolute, 'logs')
  mkdirSync(logsPath, { recursive: true, mode: 0o700 })
  return { path: absolute, logsPath, release: () => rmSync(lockFile, { force: true }) }
}

/** The lock holds a process id and when that process began, so that a reused id is not mistaken. */
function takeLock(dir: string, lockFile: string): void {
  const mine = path.join(dir, `temblor.lock.${randomUUID()}`)
  writeFileSync(mine, `${process.pid} ${startOf(process.pid) ?? ''}\n`, { mode: 0o600 })
  try {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      if (tryLink(mine, lockFile)) return
      const [pid = '', start = ''] = (readText(lockFile) ?? '').trim().split(' ')
      if (pid && startOf(Number(pid)) === start)
        throw new Error(
          `Another Temblor (process ${pid}) uses ${dir}. ` +
            'Stop it, or set TEMBLOR_DATA_DIR to another folder.',
        )
      rmSync(lockFile, { force: true })
    }
    throw new Error(`Several Temblors try to start on ${dir} at once. Start one.`)
  } finally {
    rmSync(mine, { force: true })
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** When a process began, in clock ticks since boot; undefined when it is not there or is dead. */
export function startOf(pid: number): string | undefined {
  // The name in brackets may hold spaces; after it come the state (field 3) and, in field 22, the start.
  const fields = readText(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /, '')
    .split(' ')
  return fields?.[0] === 'Z' || fields?.[0] === 'X' ? undefined : fields?.[19]
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
