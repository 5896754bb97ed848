import { Agent, request } from 'node:http'

/** One request that is made again and again. */
export interface LoadRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  /** Sent as JSON. */
  readonly body?: unknown
  /** Used in turn; none for a server without sign-in. */
  readonly authorizations: readonly string[]
  readonly expectedStatus: number
}

/** What came of it. */
export interface LoadResult {
  readonly perSecond: number
  readonly answers: number
  readonly latenciesMs: readonly number[]
  /** Answers with another status, by status. */
  readonly unexpected: ReadonlyMap<number, number>
}

/** Keeps so many connections busy for so long, each with one request at a time. */
export async function generateLoad(
  load: LoadRequest,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const latenciesMs: number[] = []
  const unexpected = new Map<number, number>()
  const startedAt = performance.now()
  const deadline = startedAt + seconds * 1000
  let next = 0
  const keepBusy = async () => {
    while (performance.now() < deadline) {
      const sentAt = performance.now()
      const status = await send(load, next++, agent)
      latenciesMs.push(performance.now() - sentAt)
      if (status !== load.expectedStatus) unexpected.set(status, (unexpected.get(status) ?? 0) + 1)
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, keepBusy))
  } finally {
    agent.destroy()
  }
  const lasted = (performance.now() - startedAt) / 1000
  return {
    perSecond: latenciesMs.length / lasted,
    answers: latenciesMs.length,
    latenciesMs,
    unexpected,
  }
}

function send(load: LoadRequest, turn: number, agent: Agent): Promise<number> {
  const body = load.body === undefined ? undefined : JSON.stringify(load.body)
  const authorization = load.authorizations[turn % Math.max(1, load.authorizations.length)]
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  return new Promise((resolve, reject) => {
    const call = request(load.url, { method: load.method, agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
      answer.on('error', reject)
    })
    call.setTimeout(10_000, () => call.destroy(new Error(`No answer: ${load.url}`)))
    call.on('error', reject)
    call.end(body)
  })
}
