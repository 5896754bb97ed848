import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** @typedef {(line: string) => void} Say */

/** Puts the packages of package-lock.json into node_modules, unless they are there. */
export async function ensureNpmPackages(/** @type {string} */ root, /** @type {Say} */ say) {
  if (isInstalled(root)) return
  refuseLink(root)
  const unlock = await lock(root, say)
  try {
    // Somebody else may have installed them while we waited.
    if (isInstalled(root)) return
    say('Installing the npm packages and the Node 24 runtime (npm ci; install scripts stay off) …')
    await installLocked(root)
    writeFileSync(stampFile(root), lockHash(root))
  } finally {
    unlock()
  }
}

/** npm empties node_modules before it installs, and would empty what a link points to. */
function refuseLink(root) {
  const folder = path.join(root, 'node_modules')
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(
      `${folder} is a link, and its packages are not those of the lock. Remove the link.`,
    )
}

function stampFile(root) {
  return path.join(root, 'node_modules/.temblor-lock-sha256')
}

function lockHash(root) {
  return createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex')
}

function isInstalled(root) {
  const stamp = readText(stampFile(root))
  if (stamp === lockHash(root)) return true
  // Installed by a hand-typed `npm ci`, which leaves its own record but not our stamp.
  if (stamp !== undefined || !matchesRecord(root)) return false
  writeFileSync(stampFile(root), lockHash(root))
  return true
}

/** Whether npm's own record of node_modules has every package of the lock in its version. */
function matchesRecord(root) {
  const record = readText(path.join(root, 'node_modules/.package-lock.json'))
  if (record === undefined) return false
  const installed = JSON.parse(record).packages
  const wanted = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages
  return Object.entries(wanted).every(
    ([name, entry]) => name === '' || entry.optional || installed[name]?.version === entry.version,
  )
}

/** Installs exactly what the lock says. */
async function installLocked(root) {
  const ci = await npm(root, ['ci'])
  if (ci.code === 0) return
  // Some registries lack optional packages for other systems; the lock then has no entry for them,
  // and `npm ci` calls that out of sync. `install` takes the versions of the lock and skips those.
  const complaints = ci.stderr.match(/^npm error (Missing|Invalid): .*$/gm) ?? []
  const isOnlyForeign =
    complaints.length > 0 && complaints.every((line) => /Missing: \S+@ from lock file$/.test(line))
  const install = isOnlyForeign ? await npm(root, ['install', '--no-save']) : ci
  if (install.code === 0) return
  process.stderr.write(install.stderr)
  throw new Error(`npm failed (exit code ${install.code}); what it said is above.`)
}

function npm(root, command) {
  const { PATH = '', ...env } = process.env
  // npm must not run on the very node that it is about to replace.
  const outside = PATH.split(path.delimiter).filter((dir) => !dir.startsWith(root + path.sep))
  // At this level npm is silent about EBADENGINE: it runs on Node 20, the packages on 24.
  const args = [...command, '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error']
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, {
      cwd: root,
      stdio: ['ignore', 2, 'pipe'],
      env: { ...env, PATH: outside.join(path.delimiter), npm_config_omit: '', NODE_ENV: '' },
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => (stderr += String(chunk)))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stderr }))
  })
}

/** One `npm ci` at a time for each clone; a lock whose owner is gone is taken over. */
async function lock(root, say) {
  const key = createHash('sha256').update(root).digest('hex').slice(0, 16)
  const dir = path.join(tmpdir(), `temblor-setup-${process.getuid?.() ?? 0}-${key}`)
  const pidFile = path.join(dir, 'pid')
  for (let said = false; ;) {
    try {
      mkdirSync(dir, { mode: 0o700 })
      writeFileSync(pidFile, String(process.pid))
      return () => rmSync(dir, { recursive: true, force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    await sleep(250)
    if (!isAlive(Number(readText(pidFile)))) {
      rmSync(dir, { recursive: true, force: true })
    } else if (!said) {
      say('Waiting for another run that is installing the packages …')
      said = true
    }
  }
}

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
