import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readConfig } from '../../controller/config.ts'
import { startController } from '../../controller/controller.ts'
import { caFingerprint, openKeyFile } from '../../controller/auth/key-file.ts'
import { createSeal } from '../../controller/auth/seal.ts'
import { createPasswords } from '../../controller/auth/password.ts'
import type { Team } from '../../controller/store/companies.ts'
import type { Redis } from '../../controller/store/redis.ts'
import { openStore, type Store } from '../../controller/store/store.ts'
import { formatJoinLine } from '../../shared/join-line.ts'
import type { CompanyRole, TeamRole } from '../../shared/roles.ts'
import { signIn, type Api } from './api.ts'
import { startTestRedis } from './redis.ts'

export interface Person {
  readonly email: string
  readonly roles?: readonly CompanyRole[]
  /** Roles by the id of the team. */
  readonly teams?: Readonly<Record<string, readonly TeamRole[]>>
}

/** A controller in this process on a Redis of its own, without an agent: up in a second. */
export interface TestController extends AsyncDisposable {
  readonly baseUrl: string
  readonly grpcPort: number
  readonly store: Store
  readonly redis: Redis
  /** With which `temblor admin` works on it. */
  readonly environment: Readonly<Record<string, string>>
  /** Starts one more controller on the same data and key file. */
  further(environment?: Record<string, string>): Promise<FurtherController>
  /** Makes a user (or gives one a place in another company) who signs in with `personsPassword`. */
  add(companyId: string, person: Person): Promise<string>
  /** The line with which hosts join a team by this controller, or by another port. */
  joinLine(team: Team, port?: number): Promise<string>
  /** Makes a user and signs in. */
  join(company: { id: string; name: string }, person: Person): Promise<Api>
}

export interface FurtherController extends AsyncDisposable {
  readonly baseUrl: string
  readonly grpcPort: number
}

export const personsPassword = 'correct horse battery staple'

/** Starts it on a free port of loopback; further settings as environment variables. `log` gets its log. */
export async function startTestController(
  environment: Record<string, string> = {},
  log?: (line: string) => void,
): Promise<TestController> {
  const dir = mkdtempSync(join(tmpdir(), 'temblor-controller-'))
  const redis = await startTestRedis()
  const start = async (more: Record<string, string>) => {
    const config = readConfig({
      TEMBLOR_DATA_DIR: dir,
      TEMBLOR_REDIS_URL: redis.url,
      TEMBLOR_HTTP_PORT: '0',
      TEMBLOR_GRPC_PORT: '0',
      ...environment,
      ...more,
    })
    const controller = await startController(
      config,
      log ? pino({ level: 'info' }, { write: log }) : pino({ level: 'silent' }),
    )
    const baseUrl = `http://127.0.0.1:${controller.httpPort}`
    const { grpcPort } = controller
    return { baseUrl, grpcPort, [Symbol.asyncDispose]: () => controller.close() }
  }
  const controller = await start({})
  const keyFile = await openKeyFile(join(dir, 'keys.json'))
  const store = await openStore(redis.redis, createSeal(keyFile))
  const hash = await (await createPasswords()).hash(personsPassword)
  const { baseUrl, grpcPort } = controller
  const add: TestController['add'] = async (companyId, { email, roles, teams }) => {
    const user = (await store.users.findByEmail(email)) ?? (await store.users.add(email, hash))
    await store.companies.writeMembership(companyId, user.id, {
      roles: roles ?? ['COMPANY_USER'],
      teams: teams ?? {},
    })
    return user.id
  }
  return {
    baseUrl,
    grpcPort,
    store,
    redis: redis.redis,
    environment: { TEMBLOR_DATA_DIR: dir, TEMBLOR_REDIS_URL: redis.url },
    further: (more = {}) => start(more),
    add,
    async joinLine(team, port = grpcPort) {
      const secret = await store.companies.readTeamSecret(team)
      const caSha256 = caFingerprint(keyFile)
      return formatJoinLine({ address: `127.0.0.1:${port}`, teamId: team.id, secret, caSha256 })
    },
    async join(company, person) {
      await add(company.id, person)
      const { email } = person
      return await signIn(baseUrl, { email, password: personsPassword, companyName: company.name })
    },
    async [Symbol.asyncDispose]() {
      await controller[Symbol.asyncDispose]()
      await redis[Symbol.asyncDispose]()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** An address that nobody has yet. */
export function newEmail(name: string): string {
  return `${name}-${randomUUID().slice(0, 8)}@example.com`
}
