// The builds in dist/ and dist-controller/: whether they are those of the sources beside them, and how they are made. Plain
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

/**
 * Whether a build was made of exactly what its sources and the lock of the packages hold now.
 * @param {string} folder in the root of the project
 */
export function isFresh(folder = 'dist') {
  try {
    const file = new URL(`${folder}/build.json`, root)
    const { inputs, digest } = JSON.parse(readFileSync(file, 'utf8'))
    return digestOf(inputs) === digest
  } catch {
    // Never built, or built of a file that is no more.
    return false
  }
}

const builders = {
  dist: 'deploy/setup/build.mjs',
  'dist-controller': 'deploy/setup/build-controller.mjs',
}

/**
 * Builds when the build is not fresh and what builds is installed. Says on stderr what went wrong.
 * @param {keyof typeof builders} folder
 * @returns whether it is fresh now
 */
export function ensureBundle(folder = 'dist') {
  if (isFresh(folder)) return true
  if (!existsSync(new URL('node_modules/rolldown', root))) return false
  const builder = fileURLToPath(new URL(builders[folder], root))
  spawnSync(process.execPath, [builder], { stdio: ['ignore', 2, 2] })
  return isFresh(folder)
}
