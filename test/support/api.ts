import { isTerminal, type Stage } from '../../shared/stages.ts'
import type { Attack, Execution } from '../../shared/api/records.ts'
import type { Client } from '../../shared/api/clients.ts'
import type { Container } from '../../shared/api/containers.ts'
import type { ErrorBody } from '../../shared/api/errors.ts'
import type { Session } from '../../shared/api/sessions.ts'
import { request, type Answer, type RequestOptions } from './http.ts'
import { apiPollMs, until } from './until.ts'

export type AttackRequest = Record<string, unknown>

/** The API as one signed-in client sees it. Paths are relative to the base URL. */
export interface Api {
  readonly baseUrl: string
  readonly session: Session
  send(method: string, path: string, options?: RequestOptions): Promise<Answer>
  get<T>(path: string): Promise<T>
  /** Creates an attack and returns its id. @throws Error with the answer when it is not 201 */
  attack(body: AttackRequest): Promise<string>
  /** Asks for an attack that must be refused. @throws Error when it is not */
  refused(body: AttackRequest): Promise<Refused>
  halt(id: string): Promise<Attack[]>
  attacks(): Promise<Attack[]>
  readAttack(id: string): Promise<Attack>
  executions(id: string): Promise<Execution[]>
  activeClients(): Promise<Client[]>
  containers(): Promise<Container[]>
  /** Waits until every execution has reached this stage (or one behind it on the same way). */
  running(id: string, withinMs?: number): Promise<Execution[]>
  /** Waits until every execution is over. */
  finished(id: string, withinMs?: number): Promise<Execution[]>
}

export interface Refused {
  readonly status: number
  readonly error: ErrorBody['error']
}

/** Signs in; `sessions[team]` when a team is named, else the first. */
export async function signIn(
  baseUrl: string,
  user: { email: string; password: string; companyName?: string },
): Promise<Api> {
  const { email, password, companyName } = user
  const answer = await request(baseUrl, 'POST', '/v1/users/auth', {
    form: { email, password, ...(companyName ? { companyName } : {}) },
  })
  if (answer.status !== 200) throw new Error(`Sign-in of ${email}: ${answer.status} ${answer.text}`)
  return apiOf(baseUrl, (answer.json as Session[])[0] as Session)
}

export function apiOf(baseUrl: string, session: Session): Api {
  const send: Api['send'] = (method, path, options = {}) =>
    request(baseUrl, method, `/v1${path}`, {
      ...options,
      headers: { authorization: session.header, ...options.headers },
    })
  const get = async <T>(path: string): Promise<T> => {
    const answer = await send('GET', path)
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`)
    return answer.json as T
  }
  const executions = (id: string) => get<Execution[]>(`/executions?taskId=${id}`)
  const executionsWhen = (
    id: string,
    what: string,
    withinMs: number,
    is: (one: Execution) => boolean,
  ) =>
    until(
      `attack ${id} ${what}`,
      async () => {
        const rows = await executions(id)
        if (rows.length > 0 && rows.every((row) => is(row))) return rows
        throw new Error(rows.map((row) => `${row.stage} ${row.reason} ${row.output}`).join('; '))
      },
      withinMs,
      apiPollMs,
    )
  return {
    baseUrl,
    session,
    send,
    get,
    async attack(body) {
      const answer = await send('POST', '/attacks/new', { json: body })
      if (answer.status !== 201) throw new Error(`attack: ${answer.status} ${answer.text}`)
      return answer.text
    },
    async refused(body) {
      const answer = await send('POST', '/attacks/new', { json: body })
      if (answer.status < 400) throw new Error(`not refused: ${answer.status} ${answer.text}`)
      return { status: answer.status, error: (answer.json as ErrorBody).error }
    },
    async halt(id) {
      const answer = await send('DELETE', `/attacks/${id}`)
      if (answer.status !== 202) throw new Error(`halt: ${answer.status} ${answer.text}`)
      return answer.json as Attack[]
    },
    attacks: () => get('/attacks'),
    readAttack: (id) => get(`/attacks/${id}`),
    executions,
    activeClients: () => get('/clients/active'),
    containers: () => get('/containers'),
    running: (id, withinMs = 15_000) =>
      executionsWhen(id, 'is running', withinMs, (one) => one.stage === 'Running'),
    finished: (id, withinMs = 30_000) =>
      executionsWhen(id, 'is over', withinMs, (one) => isTerminal(one.stage as Stage)),
  }
}

/** A cpu attack as clients ask for it. */
export function cpuAttack(
  args: string,
  target: Record<string, unknown> = { type: 'Random' },
  labels?: Record<string, string>,
): AttackRequest {
  return {
    command: { type: 'cpu', args: args.split(' ') },
    target,
    ...(labels ? { labels } : {}),
  }
}
