// Makes dist/: the agent, its helper programs and the command line as plain JavaScript, a few files
// instead of hundreds. Run by the Node that came with the packages; reads and writes here only.
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { digestOf, isFresh } from '../../agent/cli/bundle.js'
import { programs } from '../../agent/host/program.ts'
import { replaceFolder } from './replace-folder.mjs'

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
const dist = path.join(root, 'dist')
const protoFile = 'temblor/agent/v1/agent.proto'

/** Native, or used so seldom that they are better loaded when they are. */
const external = ['koffi', 'dockerode', '@peculiar/x509', 'qrcode', 'reflect-metadata']
/** What an agent must never load, with the reason. */
const forbidden = { typebox: 'it takes 30 MB of memory', commander: 'it belongs to the CLI' }

/** V8 keeps the text of a script with a single letter beyond Latin-1 in two bytes for each letter. */
const asciiOnly = {
  name: 'ascii-only',
  renderChunk: (code) =>
    code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
}

try {
  if (!isFresh()) await build()
} catch (error) {
  process.stderr.write(`temblor: the build failed: ${error.message}\n`)
  process.exitCode = 1
}

async function build() {
  const { rolldown } = await import('rolldown')
  const sources = Object.entries(programs).map(([name, file]) => [
    name,
    path.join(root, 'agent/host', file),
  ])
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: {
      agent: path.join(root, 'agent/main.ts'),
      cli: path.join(root, 'agent/cli/main.ts'),
      ...Object.fromEntries(sources),
    },
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [asciiOnly],
  })
  // Beside dist/, so that it can take its place in one step.
  const fresh = mkdtempSync(`${dist}-`)
  chmodSync(fresh, 0o755)
  try {
    const { output } = await bundle.write({
      dir: fresh,
      format: 'esm',
      chunkFileNames: '[name].js',
      comments: false,
    })
    refuseForbidden(output)
    cpSync(path.join(root, 'proto', protoFile), path.join(fresh, protoFile))
    writeManifest(fresh, output)
    replaceFolder(fresh, dist, isFresh)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    await bundle.close()
  }
}

/** @throws Error naming what a later change made the agent load */
function refuseForbidden(output) {
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]))
  const reached = new Set(['agent.js'])
  for (const name of reached) {
    const { imports = [], dynamicImports = [] } = chunks.get(name) ?? {}
    for (const next of [...imports, ...dynamicImports]) reached.add(next)
  }
  const modules = [...reached].flatMap((name) => Object.keys(chunks.get(name)?.modules ?? {}))
  for (const [name, why] of Object.entries(forbidden)) {
    if (!modules.some((id) => id.includes(`/node_modules/${name}/`))) continue
    throw new Error(`the agent would load ${name}: ${why}.`)
  }
}

/** Says what dist/ was made of. Packages are as good as the lock that names them. */
function writeManifest(folder, output) {
  const modules = output.flatMap((chunk) => Object.keys(chunk.modules ?? {}))
  const own = modules
    .filter((id) => path.isAbsolute(id) && !id.includes('/node_modules/'))
    .map((id) => path.relative(root, id))
  const others = [`proto/${protoFile}`, 'package-lock.json', 'deploy/setup/build.mjs']
  const names = new Set([...own, ...others])
  const inputs = [...names].toSorted((a, b) => (a < b ? -1 : 1))
  const manifest = { inputs, digest: digestOf(inputs) }
  writeFileSync(path.join(folder, 'build.json'), `${JSON.stringify(manifest, null, 1)}\n`)
}
