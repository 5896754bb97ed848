// Makes dist/: the agent, its helper programs and the command line. Run by the Node that came with the packages.
import path from 'node:path'
import { programs } from '../../agent/host/program.ts'
import { writeBundle } from './write-bundle.mjs'

const protoFile = 'temblor/agent/v1/agent.proto'

/** Native, or used so seldom that they are better loaded when they are. */
const external = ['koffi', 'dockerode', '@peculiar/x509', 'qrcode', 'reflect-metadata']
/** What an agent must never load, with the reason. */
const forbidden = { typebox: 'it takes 30 MB of memory', commander: 'it belongs to the CLI' }

try {
  await writeBundle({
    folder: 'dist',
    programs: {
      agent: 'agent/main.ts',
      cli: 'agent/cli/main.ts',
      ...Object.fromEntries(
        Object.entries(programs).map(([name, file]) => [name, path.join('agent/host', file)]),
      ),
    },
    external,
    files: { [protoFile]: `proto/${protoFile}` },
    builder: 'deploy/setup/build.mjs',
    check: refuseForbidden,
  })
} catch (error) {
  process.stderr.write(`temblor: the build failed: ${error.message}\n`)
  process.exitCode = 1
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
