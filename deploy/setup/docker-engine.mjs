import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram, searchPath } from './system-packages.mjs'

const startTimeoutMs = 60_000
const stopTimeoutMs = 20_000

/** The last resort where iptables or bridges are not allowed; our containers need no network. */
const withoutNetwork = ['--bridge=none', '--iptables=false', '--ip6tables=false']

/** Whether a Docker Engine answers where DOCKER_HOST, else the usual socket, says. */
export async function engineAnswers() {
  const host = process.env.DOCKER_HOST
  if (!host) return ping({ socketPath: '/var/run/docker.sock' })
  if (host.startsWith('unix://')) return ping({ socketPath: host.slice('unix://'.length) })
  const url = URL.parse?.(host.replace(/^tcp:/, 'http:')) ?? undefined
  return url ? ping({ host: url.hostname, port: url.port }) : false
}

/**
 * Makes sure that a Docker Engine answers. Starts one if there is none, and gives the function that
 * stops it again (one that was there is never stopped).
 * @throws Error with the last lines of the Engine's log when it does not start
 */
export async function ensureEngine(say) {
  if (await engineAnswers()) return leaveAlone
  if (process.env.DOCKER_HOST)
    throw new Error(`No Docker Engine answers at DOCKER_HOST (${process.env.DOCKER_HOST}).`)
  if (process.getuid?.() !== 0)
    throw new Error('No Docker Engine answers, and only root can start one.')
  if (!findProgram('dockerd')) throw new Error('No Docker Engine answers, and there is no dockerd.')
  say('No Docker Engine is running: starting dockerd for the time of this run …')
  try {
    return await startEngine([], say)
  } catch (first) {
    try {
      const stop = await startEngine(withoutNetwork, say)
      say('It runs without container networks, which this machine does not allow.')
      return stop
    } catch {
      throw first
    }
  }
}

async function leaveAlone() {}

async function startEngine(args, say) {
  const dir = mkdtempSync(path.join(tmpdir(), 'temblor-dockerd-'))
  const logFile = path.join(dir, 'dockerd.log')
  const log = openSync(logFile, 'w')
  const removeLog = () => rmSync(dir, { recursive: true, force: true })
  // A group of its own: Ctrl-C must not end it before what runs on it has cleaned up.
  const engine = spawn(findProgram('dockerd'), args, {
    stdio: ['ignore', log, log],
    detached: true,
    env: { ...process.env, PATH: searchPath() },
  })
  closeSync(log)
  const isOver = () => engine.exitCode !== null || engine.signalCode !== null
  const ended = new Promise((resolve) => {
    engine.on('error', resolve)
    engine.on('exit', resolve)
  })
  const stop = async () => {
    if (!isOver()) await stopEngine(engine, ended, say)
    removeLog()
  }
  const forget = endOnSignal(engine)
  try {
    const deadline = Date.now() + startTimeoutMs
    while (!isOver() && Date.now() < deadline) {
      if (await engineAnswers()) return stop
      await Promise.race([sleep(200), ended])
    }
  } finally {
    forget()
  }
  const reason = lastLines(logFile)
  if (!isOver()) engine.kill('SIGKILL')
  removeLog()
  throw new Error(`dockerd did not start here. The end of its log:\n${reason}`)
}

/** Ctrl-C while it starts must not leave it behind. Gives the function that ends this watch. */
function endOnSignal(engine) {
  const end = () => {
    engine.kill('SIGTERM')
    process.exit(130)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, end)
  return () => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, end)
  }
}

async function stopEngine(engine, ended, say) {
  say('Stopping the dockerd that was started for this run.')
  engine.kill('SIGTERM')
  const timer = new AbortController()
  await Promise.race([
    ended,
    sleep(stopTimeoutMs, undefined, { signal: timer.signal }).catch(() => {}),
  ])
  timer.abort()
  if (engine.exitCode === null && engine.signalCode === null) engine.kill('SIGKILL')
}

function lastLines(file) {
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines
    .slice(-4)
    .map((line) => `  ${line.slice(0, 300)}`)
    .join('\n')
}

function ping(options) {
  return new Promise((resolve) => {
    const call = request({ ...options, path: '/_ping', timeout: 2000 }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => resolve(false))
    call.end()
  })
}
