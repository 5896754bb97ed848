import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { signIn, type Api } from './api.ts'
import { startNode, temblorJson, type Environment, type Running } from './command.ts'
import { request } from './http.ts'
import { sharedCluster } from './redis.ts'
import { descendants, stillThere, type ProcessInfo } from './processes.ts'
import { apiPollMs, until } from './until.ts'

/** What `npm start` writes for scripts. */
export interface LocalFile {
  readonly baseUrl: string
  readonly appUrl: string
  readonly grpcAddress: string
  readonly company: { readonly id: string; readonly name: string }
  readonly team: { readonly id: string; readonly name: string }
  readonly owner: { readonly email: string; readonly password: string }
  readonly join: string
  readonly redisUrl: string
}

/** A running `npm start`. */
export interface Service {
  readonly dataDir: string
  readonly environment: Environment
  readonly process: Running
  readonly local: LocalFile
  readonly baseUrl: string
  /** The owner's session, opened once. */
  readonly owner: Api
  signIn(user?: { email: string; password: string; companyName?: string }): Promise<Api>
  /** The process of this part that is alive now. */
  part(name: 'agent' | 'controller' | 'redis'): ProcessInfo
  /** `temblor admin …` on the controller's host. */
  admin<T>(args: readonly string[], password?: string): Promise<T>
  /** Ctrl-C; checks that it exits 0 and leaves no process. */
  stop(): Promise<void>
  /** Stops and removes the data. */
  [Symbol.asyncDispose](): Promise<void>
}

/** A folder that the service and its agents may fill; removed by `Symbol.asyncDispose`. */
export function temporaryDir(): string {
  return mkdtempSync(join(tmpdir(), 'temblor-test-'))
}

/** Starts `npm start` on free ports in a data folder of its own and waits until it is ready. */
export async function startService(
  environment: Environment = {},
  dataDir: string = temporaryDir(),
): Promise<Service> {
  const all = {
    TEMBLOR_DATA_DIR: dataDir,
    TEMBLOR_HTTP_PORT: '0',
    TEMBLOR_GRPC_PORT: '0',
    ...(await clusterFor(dataDir)),
    ...environment,
  }
  const startedAt = Date.now()
  const running = startNode(['deploy/local/start.ts'], all)
  try {
    const local = await ready(running, dataDir, startedAt)
    const owner = await signIn(local.baseUrl, local.owner)
    await until(
      'the agent of this host is targetable',
      async () => (await owner.activeClients()).some((client) => client.targetable),
      15_000,
      apiPollMs,
    )
    return makeService(running, dataDir, all, local, owner)
  } catch (error) {
    await running.stop('SIGINT').catch(() => {})
    throw new Error(`The service did not start.\n${running.output()}`, { cause: error })
  }
}

/** In the project `cluster`, its Cluster; emptied unless the service ran in this folder before. */
async function clusterFor(dataDir: string): Promise<Environment> {
  const isNew = !existsSync(join(dataDir, 'local.json'))
  const url = isNew ? await sharedCluster() : process.env['TEMBLOR_TEST_REDIS_URL']
  return url === undefined ? {} : { TEMBLOR_REDIS_URL: url }
}

async function ready(running: Running, dataDir: string, since: number): Promise<LocalFile> {
  const file = join(dataDir, 'local.json')
  return await until(
    'npm start is ready',
    async () => {
      if (running.hasEnded()) return 'ended' as const
      // The file of an earlier start is still there until this one is ready.
      if (!existsSync(file) || statSync(file).mtimeMs < since) return undefined
      const local = JSON.parse(readFileSync(file, 'utf8')) as LocalFile
      const health = await request(local.baseUrl, 'GET', '/v1/health')
      return health.status === 200 ? local : undefined
    },
    60_000,
  ).then((local) => {
    if (local === 'ended') throw new Error('npm start ended')
    return local
  })
}

function makeService(
  running: Running,
  dataDir: string,
  environment: Environment,
  local: LocalFile,
  owner: Api,
): Service {
  const service: Service = {
    dataDir,
    environment,
    process: running,
    local,
    baseUrl: local.baseUrl,
    owner,
    signIn: (user = local.owner) => signIn(local.baseUrl, user),
    part: (name) => partOf(running.pid, name),
    admin: (args, password) =>
      temblorJson(['admin', ...args], {
        TEMBLOR_DATA_DIR: dataDir,
        ...(password ? { TEMBLOR_PASSWORD: password } : {}),
      }),
    async stop() {
      const children = descendants(running.pid)
      const { code, signal } = await running.stop('SIGINT')
      expect({ code, signal }).toEqual({ code: 0, signal: null })
      expect(stillThere(children)).toEqual([])
    },
    async [Symbol.asyncDispose]() {
      try {
        if (!running.hasEnded()) await service.stop()
      } finally {
        rmSync(dataDir, { recursive: true, force: true })
      }
    },
  }
  return service
}

const partPatterns = {
  agent: /agent\/cli\/bin\.js agent run/,
  controller: /dist-controller\/controller\.js/,
  redis: /redis-server/,
}

function partOf(pid: number, name: keyof typeof partPatterns): ProcessInfo {
  const named = descendants(pid).filter((one) => partPatterns[name].test(one.command))
  // A child that has not begun its own program yet is called as its parent.
  const found = named.filter((one) => !named.some((other) => other.pid === one.parent))
  if (found.length !== 1)
    throw new Error(`${found.length} processes are the ${name}: ${JSON.stringify(found)}`)
  return found[0] as ProcessInfo
}
