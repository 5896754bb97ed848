import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openKeyFile } from '../../controller/auth/key-file.ts'
import { createPasswords } from '../../controller/auth/password.ts'
import { createSeal } from '../../controller/auth/seal.ts'
import { openRedis } from '../../controller/store/redis.ts'
import { freshTokens, hashesOf } from '../../controller/auth/tokens.ts'
import { openStore } from '../../controller/store/store.ts'
import { openSessions } from '../../controller/store/sessions.ts'
import { openDataDir } from '../../deploy/local/data-dir.ts'
import { type Stack, startStack } from '../../deploy/local/stack.ts'
import { type DemoTarget, startTargets } from '../../deploy/demo/targets.ts'
import { type ApiClient, createApiClient } from '../../shared/api/client.ts'
import { listActiveClients } from '../../shared/api/clients.ts'
import { listContainers } from '../../shared/api/containers.ts'
import { login, readSelf, sessionsOf, type Session } from '../../shared/api/sessions.ts'
import { readProc } from '../../agent/host/processes.ts'
import { until } from '../support/until.ts'
import { familyOf } from './machine.ts'

/** A whole service on this machine, and a container with half a core to attack. */
export interface Rig {
  readonly dir: string
  readonly stack: Stack
  readonly api: ApiClient
  readonly authorization: string
  /** The state folder of the agent of the stack. */
  readonly agentDir: string
  readonly controllerPid: number
  /** Absent, with the reason, where containers cannot run. */
  readonly target: DemoTarget | string
  readonly label: Readonly<Record<string, string>>
  /** Opens sessions of the owner past the login, each with its own allowance of requests. */
  openSessions(count: number): Promise<string[]>
  /** Makes users of the team who sign in with one password. */
  addUsers(count: number): Promise<{ emails: string[]; password: string }>
  /** Ends and removes everything. Resolves to what is left. */
  close(): Promise<string[]>
}

/** Starts the service. What was started is stopped when something fails. */
export async function startRig(say: (line: string) => void): Promise<Rig> {
  const dir = mkdtempSync(path.join(tmpdir(), 'temblor-bench-'))
  const targets = await startTargets([['bench', true]]).catch((error: unknown) => error as Error)
  const made: { stack?: Stack } = {}
  const close = async () => {
    await made.stack?.stop()
    const left = targets instanceof Error ? [] : await targets.remove()
    rmSync(dir, { recursive: true, force: true })
    return left
  }
  try {
    const stack = await startStack(stackOptions(dir, say))
    made.stack = stack
    const { email, password } = stack.first.owner
    const answer = await createApiClient({ baseUrl: stack.baseUrl }).call(login, {
      body: { email, password: password ?? '' },
    })
    const [session] = sessionsOf(answer)
    if (!session) throw new Error('The login gave no session.')
    const api = createApiClient({ baseUrl: stack.baseUrl, authorization: session.header })
    const target = targets instanceof Error ? targets.message : firstOf(targets.targets)
    await untilSeen(api, stack, target)
    return {
      dir,
      stack,
      api,
      authorization: session.header,
      agentDir: path.join(dir, 'agent'),
      controllerPid: controllerPid(),
      target,
      label: targets instanceof Error ? {} : targets.label,
      addUsers: (count) => addUsers(dir, stack, count),
      openSessions: (count) => openFurtherSessions(dir, stack.redisUrl, api, session, count),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function stackOptions(dir: string, say: (line: string) => void): Parameters<typeof startStack>[0] {
  return {
    dataDir: openDataDir(dir),
    listen: '127.0.0.1',
    grpcListen: '127.0.0.1',
    isTls: false,
    // Closed in itself, whatever a service on this machine is set to.
    controllerEnv: {
      TEMBLOR_TLS_CERT: '',
      TEMBLOR_TLS_KEY: '',
      TEMBLOR_PUBLIC_URL: 'http://127.0.0.1',
      TEMBLOR_TRUSTED_PROXIES: '127.0.0.1',
    },
    httpPort: 0,
    grpcPort: 0,
    company: 'Bench',
    team: 'Bench',
    ownerEmail: 'owner@bench.local',
    say,
  }
}

function firstOf(targets: readonly DemoTarget[]): DemoTarget | string {
  return targets[0] ?? 'no container was started'
}

async function untilSeen(api: ApiClient, stack: Stack, target: DemoTarget | string): Promise<void> {
  await until(
    'the agent and its container are known',
    async () => {
      const clients = await api.call(listActiveClients)
      const containers = await api.call(listContainers)
      return (
        clients.some((one) => one.identifier === stack.agent.identifier && one.targetable) &&
        (typeof target === 'string' || containers.some((one) => one.identifier === target.id))
      )
    },
    20_000,
    200,
  )
}

function controllerPid(): number {
  const found = [...familyOf(process.pid)].find((pid) =>
    readProc(`${pid}/cmdline`)?.includes('dist-controller/controller.js'),
  )
  if (found === undefined) throw new Error('The process of the controller is not there.')
  return found
}

async function addUsers(dir: string, { redisUrl, first }: Stack, count: number) {
  const redis = openRedis(redisUrl)
  redis.on('error', () => undefined)
  try {
    const seal = createSeal(await openKeyFile(path.join(dir, 'keys.json')))
    const store = await openStore(redis, seal)
    const password = randomUUID()
    const hash = await (await createPasswords()).hash(password)
    const emails = Array.from({ length: count }, () => `${randomUUID()}@bench.local`)
    for (const email of emails) {
      const user = await store.users.add(email, hash)
      await store.companies.writeMembership(first.company.id, user.id, {
        roles: ['COMPANY_USER'],
        teams: { [first.team.id]: ['TEAM_VIEWER'] },
      })
    }
    return { emails, password }
  } finally {
    redis.disconnect()
  }
}

/** Opens sessions past the login with the key file in this folder. Resolves to their headers. */
export async function openFurtherSessions(
  dir: string,
  redisUrl: string,
  api: ApiClient,
  session: Session,
  count: number,
): Promise<string[]> {
  const self = await api.call(readSelf)
  const seal = createSeal(await openKeyFile(path.join(dir, 'keys.json')))
  const redis = openRedis(redisUrl)
  redis.on('error', () => undefined)
  try {
    const tokens = Array.from({ length: count }, () => randomUUID())
    const expiresMs = Date.now() + 600_000
    const record = {
      userId: self.user_id,
      email: self.identifier,
      companyId: self.company_id,
      teamId: session.org_id,
      endsMs: expiresMs,
      epoch: 0,
      amr: 'password',
      hasSecondFactor: false,
    } as const
    const sessions = openSessions(redis)
    const hashes = tokens.map((token) => hashesOf(seal, { ...freshTokens(), token }))
    await Promise.all(hashes.map((pair) => sessions.open(record, { ...pair, expiresMs })))
    return tokens.map((token) => `Bearer ${token}`)
  } finally {
    redis.disconnect()
  }
}
