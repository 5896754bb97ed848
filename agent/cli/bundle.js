// The build in dist/: whether it is that of the sources beside it, and how it is made. Plain
// JavaScript: reading TypeScript costs a process 25 MB that an agent would keep.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)

/**
 * What the named files hold, as one digest.
 * @param {readonly string[]} inputs paths below the root of the project
 */
export function digestOf(inputs) {
  const hash = createHash('sha256')
  for (const name of inputs) {
    const content = readFileSync(new URL(name, root))
    hash.update(`${name}\n${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/** Whether dist/ was made of exactly what its sources and the lock of the packages hold now. */
export function isFresh() {
  try {
    const { inputs, digest } = JSON.parse(readFileSync(new URL('dist/build.json', root), 'utf8'))
    return digestOf(inputs) === digest
  } catch {
    // Never built, or built of a file that is no more.
    return false
  }
}

/**
 * Builds when dist/ is not fresh and what builds is installed. Says on stderr what went wrong.
 * @returns whether dist/ is fresh now
 */
export function ensureBundle() {
  if (isFresh()) return true
  if (!existsSync(new URL('node_modules/rolldown', root))) return false
  const builder = fileURLToPath(new URL('deploy/setup/build.mjs', root))
  spawnSync(process.execPath, [builder], { stdio: ['ignore', 2, 2] })
  return isFresh()
}
