// The launcher of every npm script: sets up what is missing, then starts the rest on the runtime
// that npm brought. Plain JavaScript for Node 20 or later, without dependencies.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { generate, runChecks, toolBox } from './setup/checks.mjs'
import { runChild } from './setup/child.mjs'
import { engineAnswers, ensureEngine } from './setup/docker-engine.mjs'
import { ensureNpmPackages } from './setup/npm-packages.mjs'
import {
  enginePackages,
  ensureSystemPackages,
  MissingPackages,
  networkPackages,
  packagesForGuests,
} from './setup/system-packages.mjs'
import { runTests } from './setup/tests.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const say = (line) => process.stderr.write(`${line}\n`)

const tasks = {
  start,
  demo,
  bench,
  fleet,
  fuzz,
  chaos,
  screenshots,
  test,
  'test:unit': testUnit,
  check,
  format,
  gen,
  build,
}
const [name, ...rest] = process.argv.slice(2)
const args = rest.filter((arg) => arg !== '--yes')
// Without a terminal nobody can answer: then everything is named and done.
const askFirst =
  process.stdin.isTTY && !rest.includes('--yes') && !['true', '1'].includes(process.env.CI)

if (!Object.hasOwn(tasks, name ?? '')) {
  say(`usage: node deploy/run.mjs <${Object.keys(tasks).join('|')}> [--yes]`)
  process.exitCode = 2
} else {
  try {
    await ensureNpmPackages(root, say)
    process.exitCode = await tasks[name]()
  } catch (error) {
    say(error instanceof MissingPackages ? error.message : `temblor: ${error.message}`)
    process.exitCode = 1
  }
}

async function start() {
  if (!process.env.TEMBLOR_REDIS_URL)
    await ensureSystemPackages(['redis-server'], { say, askFirst })
  await offerWeb()
  return runScript('deploy/local/start.ts')
}

async function demo() {
  await ensureSystemPackages(await demoPackages(), { say, askFirst })
  await offerWeb()
  const stopEngine = await ensureEngine(say)
  try {
    return await runScript('deploy/demo/main.ts')
  } finally {
    await stopEngine()
  }
}

async function fuzz() {
  await ensureSystemPackages(['redis-server'], { say, askFirst })
  return runScript('test/fuzz/main.ts')
}

/** Kills, freezes and cuts parts of a whole service, and checks what became of its attacks. */
async function chaos() {
  const ofGuests = args.includes('power-cuts') ? packagesForGuests() : []
  const ofNetwork = args.includes('namespaces') ? ['nftables', 'iproute2'] : []
  await ensureSystemPackages(['redis-server', ...ofGuests, ...ofNetwork], { say, askFirst })
  return runScript('test/chaos/main.ts')
}

/** Virtual agents against a controller that runs already. */
async function fleet() {
  return runScript('test/fleet/main.ts')
}

/** Pictures of the web application for the README. */
async function screenshots() {
  await needBuild()
  await ensureSystemPackages(['redis-server', 'chromium'], { say, askFirst })
  return runScript('test/screenshots/main.ts')
}

async function bench() {
  await needBuild()
  const wanted = [...(await demoPackages()), 'stress-ng', 'nftables', 'iproute2']
  const hasGuests = args.includes('netem') || args.every((arg) => arg.startsWith('-'))
  if (hasGuests) wanted.push(...packagesForGuests())
  await ensureSystemPackages(wanted, { say, askFirst })
  const stopEngine = await ensureEngine(say)
  try {
    return await runScript('test/bench/main.ts')
  } finally {
    await stopEngine()
  }
}

async function test() {
  await needBuild()
  await ensureSystemPackages(['redis-server'], { say, askFirst })
  const env = {}
  let stopEngine = nothingToStop
  try {
    await ensureSystemPackages([...(await demoPackages()), ...networkPackages], { say, askFirst })
    stopEngine = await ensureEngine(say)
  } catch (error) {
    say(`Tests that need containers are skipped: ${error.message}`)
    env.TEMBLOR_SKIP_DOCKER_REASON = error.message
  }
  try {
    await ensureSystemPackages(packagesForGuests(), { say, askFirst })
  } catch (error) {
    say(`Tests that need emulated machines are skipped: ${error.message}`)
    env.TEMBLOR_SKIP_GUESTS_REASON = error.message
  }
  try {
    await ensureSystemPackages(['chromium'], { say, askFirst })
  } catch (error) {
    say(`Tests that need a browser are skipped: ${error.message}`)
  }
  return finishTests(args, env, stopEngine)
}

async function testUnit() {
  return finishTests(['--project', 'unit', ...args], {}, nothingToStop)
}

/** The line with the counts comes last, after whatever stopping the Engine has to say. */
async function finishTests(vitestArgs, env, stopEngine) {
  let result
  try {
    result = await runTests(root, vitestArgs, env, say)
  } finally {
    await stopEngine()
  }
  process.stdout.write(`${result.line}\n`)
  return result.code
}

async function nothingToStop() {}

async function check() {
  return runChecks(root, say)
}

async function format() {
  return toolBox(root).run('oxfmt', args)
}

/** Makes what is run of the sources, unless it is made of exactly these. Resolves to the exit code. */
async function build() {
  const builders = ['deploy/setup/build.mjs', 'deploy/setup/build-controller.mjs']
  for (const builder of builders) {
    const code = await runScript(builder)
    if (code !== 0) return code
  }
  return buildWeb()
}

/** Makes the web application alone. */
async function buildWeb() {
  return runChild(toolBox(root).node, [path.join(root, 'deploy/setup/build-web.mjs')], {
    cwd: root,
  })
}

/** The service also works without its pages. */
async function offerWeb() {
  if ((await buildWeb()) !== 0) say('There will be no web application; see above.')
}

/** An agent also runs without a build; what is tested and measured here is the build. */
async function needBuild() {
  if ((await build()) !== 0) throw new Error('there is no build to test or measure; see above.')
}

async function gen() {
  return generate(root, 'proto/gen')
}

async function demoPackages() {
  const engine = (await engineAnswers()) ? [] : enginePackages
  return ['redis-server', ...engine, 'busybox-static']
}

function runScript(file) {
  return runChild(toolBox(root).node, [path.join(root, file), ...args], { cwd: root })
}
