import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file whose readers wait until the test lets them read it. */
export interface HeldFile extends AsyncDisposable {
  /** What nsenter is told to see it so; everybody else sees the file as it is. */
  readonly namespaces: readonly string[]
  /** Lets one reader have it; resolves when that one has come. */
  release(): Promise<void>
}

/** Puts a pipe in the place of a file, in a mount namespace of its own. */
export async function holdFile(path: string): Promise<HeldFile> {
  const folder = mkdtempSync(join(tmpdir(), 'temblor-held-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const script = 'mount --bind "$0" "$1" && echo ready && exec cat'
  const holder = spawn(
    'unshare',
    ['--mount', '--propagation', 'private', '--', 'sh', '-c', script, pipe, path],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const gone = once(holder, 'close')
  const failed = gone.then(() => Promise.reject(new Error('The file could not be held.')))
  await Promise.race([once(holder.stdout, 'data'), failed])
  failed.catch(() => undefined)
  return {
    namespaces: [`--mount=/proc/${holder.pid}/ns/mnt`],
    release: () => writeFile(pipe, readFileSync(path)),
    async [Symbol.asyncDispose]() {
      holder.stdin.end()
      await gone
      rmSync(folder, { recursive: true })
    },
  }
}
