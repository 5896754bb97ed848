import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JournalEntry } from '../../agent/journal.ts'

/** The state folder of an agent on a disk of its own that is full soon. */
export interface SmallDisk extends AsyncDisposable {
  /** What nsenter is told to see it. */
  readonly namespaces: readonly string[]
  /** As the agent sees it. */
  readonly stateDir: string
  /** The id that an agent in this folder has. */
  readonly instanceId: string
  /** Takes all room that is left. */
  fill(): void
  /** Gives back what `fill` took. */
  makeRoom(): void
  /** What the journal says on disk; undefined when there is no such file. */
  entry(executionId: string): JournalEntry | undefined
}

/** Makes one in a mount namespace of its own, which is gone with whatever ends this process. */
export async function smallDisk(sizeKb: number): Promise<SmallDisk> {
  const stateDir = mkdtempSync(join(tmpdir(), 'temblor-small-disk-'))
  const script = `mount -t tmpfs -o size=${sizeKb}k,mode=700 small "$0" && echo ready && exec cat`
  const holder = spawn(
    'unshare',
    ['--mount', '--propagation', 'private', '--', 'sh', '-c', script, stateDir],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const gone = once(holder, 'close')
  const failed = gone.then(() => Promise.reject(new Error('The disk could not be mounted.')))
  await Promise.race([once(holder.stdout, 'data'), failed])
  failed.catch(() => undefined)
  const root = `/proc/${holder.pid}/root`
  const filler = join(root, stateDir, 'filler')
  const instanceId = randomUUID()
  writeFileSync(join(root, stateDir, 'instance-id'), instanceId)
  return {
    namespaces: [`--mount=/proc/${holder.pid}/ns/mnt`],
    stateDir,
    instanceId,
    fill: () => fillUp(filler),
    makeRoom: () => rmSync(filler, { force: true }),
    entry(executionId) {
      try {
        const text = readFileSync(join(root, stateDir, 'journal', `${executionId}.json`), 'utf8')
        return JSON.parse(text) as JournalEntry
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      holder.stdin.end()
      await gone
      rmSync(stateDir, { recursive: true })
    },
  }
}

function fillUp(path: string): void {
  const fd = openSync(path, 'a')
  const page = Buffer.alloc(4096, 'x')
  try {
    for (;;) writeSync(fd, page)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(fd)
  }
}
