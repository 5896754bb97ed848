import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const keptForMs = 3_600_000

/** Outside of the clone: an image outlives a checkout. */
function cacheDir(): string {
  return join(process.env['XDG_CACHE_HOME'] || '/var/cache', 'temblor-guest')
}

/**
 * The folder `<kind>-<hash of the key>` of the cache, made by `build` when it is not there yet. Two
 * that build at once do not see each other's halves. Folders of the same kind with another key go
 * when they are an hour old.
 */
export async function cached(
  kind: string,
  key: string,
  build: (folder: string) => Promise<void>,
): Promise<string> {
  const cache = cacheDir()
  const name = `${kind}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true, mode: 0o755 })
  removeOld(cache, kind)
  const fresh = join(cache, `${kind}-${randomUUID().slice(0, 8)}.new`)
  mkdirSync(fresh)
  const startedAt = performance.now()
  try {
    await build(fresh)
    if (!existsSync(folder)) renameSync(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stderr.write(`Guests: made ${folder} in ${seconds} s.\n`)
  return folder
}

function removeOld(cache: string, kind: string): void {
  for (const name of readdirSync(cache).filter((one) => one.startsWith(`${kind}-`))) {
    const folder = join(cache, name)
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (Date.now() - mtimeMs > keptForMs) rmSync(folder, { recursive: true, force: true })
  }
}
