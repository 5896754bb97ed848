import { request as send } from 'node:http'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Attack, Execution } from '../../shared/api/records.ts'
import type { Create, FinalAttack, FinalExecution, Request } from './history.ts'
import type { PlannedCreate } from './plan.ts'
import type { Site } from './rig/site.ts'

/** Who does not answer by then is not waited for. */
const patienceMs = 4_000
const retryMs = 300

interface Answer {
  /** 0: none came. */
  readonly status: number
  readonly text: string
}

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Goes away so long after the request was sent. */
  readonly hangUpMs?: number | undefined
  /** Without one: each request asks the next. */
  readonly controller?: string | undefined
}

/** Asks the API as clients do, through any controller, and writes down what it asked and was told. */
export class Client {
  readonly requests: Request[] = []
  readonly #site: Site
  readonly #attacks = new Map<number, { attack: string; team: string }>()
  readonly #planned = new Map<number, PlannedCreate>()
  readonly #open = new Set<Promise<void>>()
  #turn = 0
  #isCalm = false

  constructor(site: Site) {
    this.#site = site
  }

  /** Asks for an attack until it is answered; without a key once. Halts it when the plan says so. */
  create(planned: PlannedCreate): void {
    this.#planned.set(planned.id, planned)
    this.#follow(this.#createAll(planned))
  }

  /** Asks this controller once. */
  async createAt(controller: string, planned: PlannedCreate): Promise<Create> {
    const create = await this.#createOnce(planned, undefined, controller)
    const { attack } = create
    if (attack !== undefined) this.#attacks.set(planned.id, { attack, team: planned.team })
    return create
  }

  repeat(id: number, hangUpMs: number | undefined): void {
    const planned = this.#planned.get(id)
    if (planned?.hasKey) this.#follow(this.#createOnce(planned, hangUpMs).then(() => undefined))
  }

  read(id: number, controller?: string): void {
    const known = this.#attacks.get(id)
    if (known) this.#follow(this.#read(known.attack, known.team, controller))
  }

  haltAll(team: string): void {
    this.#follow(this.#halt(team, undefined))
  }

  async change(kind: 'revoke' | 'activate', host: string, controller?: string): Promise<void> {
    const task = this.#change(kind, host, controller)
    this.#follow(task)
    await task
  }

  /** From now on nothing is in the way: resolves when everything that was open is answered. */
  async settle(): Promise<void> {
    this.#isCalm = true
    while (this.#open.size > 0) await Promise.all(this.#open)
  }

  /** Every attack on record, and how each of its executions stands. */
  async attacks(): Promise<FinalAttack[]> {
    const found: FinalAttack[] = []
    for (const team of this.#site.teams.keys())
      for (let token = ''; ;) {
        const query = token ? `?pageToken=${encodeURIComponent(token)}` : ''
        const page = await this.#json<{ items: Attack[]; pageToken: string | null }>(
          team,
          `/attacks/paged${query}`,
        )
        for (const { guid } of page.items)
          found.push({ id: guid, team, executions: await this.#executions(guid, team) })
        token = page.pageToken ?? ''
        if (!token) break
      }
    return found
  }

  /** Attacks that are not over. */
  async active(): Promise<string[]> {
    const lists = await Promise.all(
      [...this.#site.teams.keys()].map((team) => this.#json<Attack[]>(team, '/attacks/active')),
    )
    return lists.flat().map(({ guid }) => guid)
  }

  #follow(task: Promise<void>): void {
    this.#open.add(task)
    void task.finally(() => this.#open.delete(task))
  }

  async #createAll(planned: PlannedCreate): Promise<void> {
    let answer = await this.#createOnce(planned, planned.hangUpMs)
    while (planned.hasKey && !answer.attack && (answer.status === 0 || answer.status >= 500)) {
      await sleep(retryMs)
      answer = await this.#createOnce(planned, undefined)
    }
    const { attack } = answer
    if (attack === undefined) return
    if (!this.#attacks.has(planned.id))
      this.#attacks.set(planned.id, { attack, team: planned.team })
    if (planned.haltAfterMs === undefined) return
    await sleep(planned.haltAfterMs)
    await this.#halt(planned.team, attack)
  }

  async #createOnce(
    planned: PlannedCreate,
    hangUpMs: number | undefined,
    controller?: string,
  ): Promise<Create> {
    const { team, hosts, count, lengthSeconds, percent } = planned
    const key = planned.hasKey ? `create-${planned.id}` : undefined
    const target = hosts ? { type: 'Exact', exact: hosts } : { type: 'Random', exact: count }
    const begin = performance.now()
    const answer = await this.#send(team, {
      method: 'POST',
      path: '/attacks/new',
      body: {
        command: { type: 'cpu', args: ['-l', `${lengthSeconds}`, '-p', `${percent}`] },
        target,
      },
      ...(key ? { headers: { 'idempotency-key': key } } : {}),
      hangUpMs,
      controller,
    })
    const lengthMs = lengthSeconds * 1000
    const attack = answer.status === 201 ? answer.text : undefined
    const about = { kind: 'create', team, key, hosts, count, lengthMs, attack } as const
    const create = { ...about, ...timesOf(begin, answer) }
    this.requests.push(create)
    return create
  }

  async #halt(team: string, attack: string | undefined): Promise<void> {
    for (;;) {
      const begin = performance.now()
      const path = attack === undefined ? '/attacks' : `/attacks/${attack}`
      const answer = await this.#send(team, { method: 'DELETE', path })
      this.requests.push({ kind: 'halt', team, attack, ...timesOf(begin, answer) })
      if (answer.status === 202 || this.#isHopeless(answer)) return
      await sleep(retryMs)
    }
  }

  async #change(
    kind: 'revoke' | 'activate',
    host: string,
    controller: string | undefined,
  ): Promise<void> {
    const team = this.#site.hosts.find(({ name }) => name === host)?.team ?? ''
    for (;;) {
      const begin = performance.now()
      const [method, path] =
        kind === 'revoke' ? ['DELETE', `/clients/${host}`] : ['PUT', `/clients/${host}/activate`]
      const answer = await this.#send(team, { method, path, controller })
      this.requests.push({ kind, host, ...timesOf(begin, answer) })
      if (answer.status === 200 || this.#isHopeless(answer)) return
      await sleep(retryMs)
    }
  }

  /** An answer that asking again does not change. */
  #isHopeless({ status }: Answer): boolean {
    return status >= 400 && status < 500 && status !== 429
  }

  async #read(attack: string, team: string, controller: string | undefined): Promise<void> {
    const begin = performance.now()
    const path = `/executions?taskId=${attack}`
    const answer = await this.#send(team, { method: 'GET', path, controller })
    if (answer.status !== 200) return
    // What ended before the answer was sent is seen before it: both may have come while this process stood still.
    for (let turns = 0; turns < 2; turns += 1) await nextTurn()
    const executions = (JSON.parse(answer.text) as Execution[]).map(rowOf)
    this.requests.push({ kind: 'read', attack, executions, ...timesOf(begin, answer) })
  }

  async #executions(attack: string, team: string): Promise<FinalExecution[]> {
    return (await this.#json<Execution[]>(team, `/executions?taskId=${attack}`)).map(rowOf)
  }

  async #json<T>(team: string, path: string): Promise<T> {
    for (let left = 20; ; left -= 1) {
      const answer = await this.#send(team, { method: 'GET', path })
      if (answer.status === 200) return JSON.parse(answer.text) as T
      if (left === 0) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`)
      await sleep(500)
    }
  }

  async #send(
    team: string,
    { method, path, body, headers, hangUpMs, controller }: Call,
  ): Promise<Answer> {
    const turn = (this.#turn += 1)
    const apis = this.#site.apis()
    const base = controller === undefined ? apis[turn % apis.length] : this.#site.apiOf(controller)
    if (base === undefined) return { status: 0, text: '' }
    const sessions = this.#site.teams.get(team)?.headers ?? []
    const text = body === undefined ? '' : JSON.stringify(body)
    return await new Promise<Answer>((done) => {
      const none = () => done({ status: 0, text: '' })
      const sent = send(`${base}/v1${path}`, {
        method,
        agent: false,
        signal: AbortSignal.timeout(this.#isCalm ? 2 * patienceMs : patienceMs),
        headers: {
          authorization: sessions[turn % sessions.length],
          ...(text ? { 'content-type': 'application/json', 'content-length': text.length } : {}),
          ...headers,
        },
      })
      sent.on('error', none)
      sent.on('close', none)
      sent.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', none)
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        )
      })
      if (hangUpMs !== undefined)
        sent.on('finish', () => setTimeout(() => sent.destroy(), hangUpMs))
      sent.end(text)
    })
  }
}

function rowOf({ guid, client_id, stage, reason }: Execution): FinalExecution {
  return { id: guid, host: client_id, stage, reason: reason ?? undefined }
}

function timesOf(begin: number, { status }: Answer) {
  return { begin, end: status === 0 ? undefined : performance.now(), status }
}
