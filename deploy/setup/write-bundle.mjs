// Makes a folder of programs as plain JavaScript, a few files instead of hundreds. Reads and writes here only; the
// same sources give the same bytes. Nothing is shortened, so that stack traces name the functions of the sources.
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { digestOf, isFresh } from '../../agent/cli/bundle.js'
import { replaceFolder } from './replace-folder.mjs'

export const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))

/**
 * V8 keeps the text of a script with a single letter beyond Latin-1 in two bytes for each letter. Done last: the
 * bundler writes letters as they are.
 */
function asciiOnly(code) {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Bundles, unless the folder is made of exactly these sources already.
 * @param {object} what
 * @param {string} what.folder its name in the root of the project, such as `dist`
 * @param {Record<string, string>} what.programs the source of each program by its name; paths below the root
 * @param {readonly string[]} what.external packages that stay in node_modules
 * @param {Record<string, string>} what.files what programs find beside them: path in the folder to path below the root
 * @param {string} what.builder who calls; what is built depends on it
 * @param {(output: object[]) => void} [what.check] refuses what was made by throwing
 */
export async function writeBundle({ folder, programs, external, files, builder, check }) {
  if (isFresh(folder)) return
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries(
      Object.entries(programs).map(([name, file]) => [name, path.join(root, file)]),
    ),
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
  })
  const place = path.join(root, folder)
  // Beside its place, so that it can take it in one step.
  const fresh = mkdtempSync(`${place}-`)
  chmodSync(fresh, 0o755)
  try {
    const { output } = await bundle.write({
      dir: fresh,
      format: 'esm',
      chunkFileNames: '[name].js',
      comments: false,
    })
    check?.(output)
    for (const { fileName, code } of output)
      if (code) writeFileSync(path.join(fresh, fileName), asciiOnly(code))
    for (const [to, from] of Object.entries(files))
      cpSync(path.join(root, from), path.join(fresh, to))
    writeManifest(fresh, output, [...Object.values(files), builder])
    replaceFolder(fresh, place, () => isFresh(folder))
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    await bundle.close()
  }
}

/** Says what the folder was made of. Packages are as good as the lock that names them. */
function writeManifest(fresh, output, others) {
  const modules = output.flatMap((chunk) => Object.keys(chunk.modules ?? {}))
  const own = modules
    .filter((id) => path.isAbsolute(id) && !id.includes('/node_modules/'))
    .map((id) => path.relative(root, id))
  const all = [...own, ...others, 'package-lock.json', 'deploy/setup/write-bundle.mjs']
  const inputs = [...new Set(all)].toSorted((a, b) => (a < b ? -1 : 1))
  const manifest = { inputs, digest: digestOf(inputs) }
  writeFileSync(path.join(fresh, 'build.json'), `${JSON.stringify(manifest, null, 1)}\n`)
}
