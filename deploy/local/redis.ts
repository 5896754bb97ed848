import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ManagedChild, startChild } from './child-process.ts'
import type { DataDir } from './data-dir.ts'

export interface LocalRedis {
  readonly child: ManagedChild
  readonly url: string
}

/** The address of a Unix socket holds 107 bytes at most; Redis adds a suffix while it starts. */
const maximumSocketPathBytes = 100
const startTimeoutMs = 30_000

/** Every acknowledged attack is on disk before it is acknowledged, and nothing is evicted. */
const settings = {
  port: '0',
  unixsocketperm: '700',
  appendonly: 'yes',
  appendfsync: 'always',
  save: '',
  'maxmemory-policy': 'noeviction',
  daemonize: 'no',
}

/**
 * Starts a Redis of our own on a Unix socket in the data folder; no port is opened.
 * @throws Error with the end of its log when it does not start
 */
export async function startRedis(dataDir: DataDir): Promise<LocalRedis> {
  const redisDir = path.join(dataDir.path, 'redis')
  mkdirSync(redisDir, { recursive: true, mode: 0o700 })
  const socket = socketPath(redisDir)
  const pidFile = path.join(redisDir, 'redis.pid')
  await endOrphan(redisDir, pidFile)
  rmSync(socket, { force: true })
  const child = startChild({
    name: 'redis',
    program: findRedisServer(),
    args: Object.entries({ ...settings, unixsocket: socket, dir: redisDir }).flatMap(
      ([key, value]) => [`--${key}`, value],
    ),
    cwd: redisDir,
    logFile: path.join(dataDir.logsPath, 'redis.log'),
  })
  if (child.process.pid) writeFileSync(pidFile, `${child.process.pid}\n`, { mode: 0o600 })
  await untilAnswers(child, socket)
  return { child, url: `unix://${socket}` }
}

/** Debian's packages put it into /usr/bin, hand-built ones into /usr/local/bin. */
export function findRedisServer(): string {
  const folders = `${process.env['PATH'] ?? ''}:/usr/local/bin:/usr/bin:/usr/sbin`.split(':')
  const found = folders.map((dir) => path.join(dir, 'redis-server')).find((f) => existsSync(f))
  if (!found)
    throw new Error(
      'redis-server is missing. Run: sudo apt-get install -y --no-install-recommends redis-server',
    )
  return found
}

/** In the data folder; below a private folder of the temp folder when that path is too long. */
export function socketPath(redisDir: string): string {
  const natural = path.join(redisDir, 'redis.sock')
  if (Buffer.byteLength(natural) <= maximumSocketPathBytes) return natural
  const key = createHash('sha256').update(redisDir).digest('hex').slice(0, 16)
  const dir = path.join(tmpdir(), `temblor-${key}`)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const { uid } = lstatSync(dir)
  if (!lstatSync(dir).isDirectory() || uid !== process.getuid?.())
    throw new Error(`${dir} belongs to somebody else. Set TEMBLOR_DATA_DIR to a shorter path.`)
  chmodSync(dir, 0o700)
  return path.join(dir, 'redis.sock')
}

/** A Redis of this folder whose Temblor was killed: it must end before a new one reads the files. */
async function endOrphan(redisDir: string, pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return
  const pid = Number(readFileSync(pidFile, 'utf8'))
  const isOurs = () => pid > 1 && cwdOf(pid) === redisDir && nameOf(pid).startsWith('redis-server')
  const deadline = Date.now() + startTimeoutMs
  if (isOurs()) process.kill(pid, 'SIGTERM')
  while (isOurs()) {
    if (Date.now() > deadline)
      throw new Error(`A redis-server (process ${pid}) of ${redisDir} does not end. Stop it.`)
    await sleep(50)
  }
}

function cwdOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8')
  } catch {
    return ''
  }
}

async function untilAnswers(child: ManagedChild, socket: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs
  while (child.process.exitCode === null && Date.now() < deadline) {
    if (await answersPing(socket)) return
    await sleep(25)
  }
  const log = child.lastLines().join('\n')
  child.kill()
  throw new Error(`redis-server did not start. The end of its log:\n${log}`)
}

/** A Redis that still loads its files answers -LOADING, which does not count. */
function answersPing(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket)
    connection.setTimeout(1000, () => connection.destroy())
    connection.on('connect', () => connection.write('PING\r\n'))
    connection.on('data', (data) => {
      resolve(data.toString().startsWith('+PONG'))
      connection.destroy()
    })
    connection.on('error', () => resolve(false))
    connection.on('close', () => resolve(false))
  })
}
