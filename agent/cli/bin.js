#!/usr/bin/env node
// Plain JavaScript that any Node from 20 on can read: it finds a runtime that is new enough for what
// is behind it, takes the build in dist/ where there is one, and says in plain words what is missing.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'
import { ensureBundle, isFresh } from './bundle.js'

const root = new URL('../../', import.meta.url)
const minimum = [24, 12]

const args = process.argv.slice(2)
const isNewEnough = (version) => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > minimum[0] || (major === minimum[0] && minor >= minimum[1])
}

if (!existsSync(new URL('node_modules/commander', root))) {
  console.error(
    `temblor: its npm packages are not installed. Run: npm ci --prefix ${fileURLToPath(root)}`,
  )
  process.exit(1)
}

if (!isNewEnough(process.versions.node))
  reExecute(fileURLToPath(new URL('node_modules/.bin/node', root)))
else if (args[0] === 'admin') {
  // Admin commands act on the controller's store; that program reads its own arguments.
  process.argv.splice(2, 1)
  const admin = isFresh('dist-controller') ? 'dist-controller/admin.js' : 'controller/admin/main.ts'
  await import(new URL(admin, root).href)
} else if (args.join(' ') === 'agent run') await runAgent()
else {
  const { main } = await import(new URL(isFresh() ? 'dist/cli.js' : 'agent/cli/main.ts', root).href)
  process.exitCode = await main(args)
}

/** Without the command line around it: an agent runs for months, and would keep it all that time. */
async function runAgent() {
  const isBuilt = ensureBundle()
  if (!isBuilt)
    console.error(
      'temblor: there is no build in dist/ and it cannot be made; the agent runs from its sources, which takes twice the memory.',
    )
  await import(new URL(isBuilt ? 'dist/agent.js' : 'agent/main.ts', root).href)
}

function reExecute(node) {
  if (!existsSync(node) || process.env.TEMBLOR_REEXECUTED) {
    console.error(
      `temblor: Node ${process.versions.node} is too old and no newer one came with the packages. ` +
        `It needs Node ${minimum.join('.')} or later.`,
    )
    process.exit(1)
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...args], {
    stdio: 'inherit',
    env: { ...process.env, TEMBLOR_REEXECUTED: '1' },
  })
  // A terminal sends Ctrl-C to both of us, and only the child decides what it means; without one,
  // and for the other signals, it comes to us alone.
  const hasTerminal = [0, 1, 2].some((fd) => isatty(fd))
  process.on('SIGINT', () => hasTerminal || child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`temblor: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
