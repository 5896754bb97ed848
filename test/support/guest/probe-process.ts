/**
 * Traffic in a guest, for tests: a process in one of its network namespaces that answers others and asks
 * them. Takes requests as JSON lines on stdin and answers each on stdout; ends with stdin. It uses nothing
 * but Node, so that it starts fast where everything is emulated.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'

/** Round trips to one address at a steady pace. */
export interface RoundTrips {
  /** An echoed datagram, or a connection that is made and ended. */
  readonly how: 'udp' | 'tcp'
  readonly address: string
  readonly port?: number
  readonly count: number
  readonly everyMs: number
  /** How long one may take; 2000 when not given. */
  readonly withinMs?: number
}

export type ProbeRequest =
  | { readonly op: 'serve'; readonly ports: readonly number[] }
  | { readonly op: 'roundTrips'; readonly all: readonly RoundTrips[] }

/** Milliseconds that each took, in order of size; those that were not answered are not there. */
export type RoundTripTimes = readonly number[]

const standardPort = 9000
const answerWithinMs = 2000

/** Echoes UDP and accepts TCP on these ports. */
async function serve(ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    const echo = createSocket('udp6')
    echo.on('message', (data, from) => echo.send(data, from.port, from.address, () => undefined))
    echo.bind(port, '::')
    const accept = createServer((socket) => socket.on('error', () => undefined).resume())
    accept.listen(port, '::')
    await Promise.all([once(echo, 'listening'), once(accept, 'listening')])
  }
}

async function askAll(all: readonly RoundTrips[]): Promise<RoundTripTimes[]> {
  return await Promise.all(
    all.map(async (one) => {
      const times = await (one.how === 'udp' ? echoes(one) : connects(one))
      return times.sort((a, b) => a - b)
    }),
  )
}

async function echoes({ address, port, count, everyMs, withinMs }: RoundTrips): Promise<number[]> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  const times: number[] = []
  const all = Promise.withResolvers<void>()
  socket.on('message', (data) => {
    times.push(performance.now() - data.readDoubleLE())
    if (times.length === count) all.resolve()
  })
  await paced(count, everyMs, () => {
    const data = Buffer.alloc(8)
    data.writeDoubleLE(performance.now())
    socket.send(data, port ?? standardPort, address, () => undefined)
  })
  const timer = setTimeout(all.resolve, withinMs ?? answerWithinMs)
  await all.promise
  clearTimeout(timer)
  socket.close()
  return times
}

async function connects({
  address,
  port,
  count,
  everyMs,
  withinMs,
}: RoundTrips): Promise<number[]> {
  const tries: Promise<number | undefined>[] = []
  await paced(count, everyMs, () => {
    tries.push(connectOnce(address, port ?? standardPort, withinMs ?? answerWithinMs))
  })
  return (await Promise.all(tries)).filter((ms) => ms !== undefined)
}

async function connectOnce(
  host: string,
  port: number,
  withinMs: number,
): Promise<number | undefined> {
  const startedAt = performance.now()
  const socket = connect({ host, port })
  const signal = AbortSignal.timeout(withinMs)
  try {
    await once(socket, 'connect', { signal })
    return performance.now() - startedAt
  } catch {
    return undefined
  } finally {
    socket.on('error', () => undefined).resetAndDestroy()
  }
}

/** Acts so often, one after the other, at a steady pace; the first time at once. */
function paced(count: number, everyMs: number, act: () => void): Promise<void> {
  return new Promise((resolve) => {
    let done = 0
    const next = () => {
      act()
      if (++done < count) return
      clearInterval(timer)
      resolve()
    }
    const timer = setInterval(next, everyMs)
    next()
  })
}

function carryOut(request: ProbeRequest): Promise<unknown> {
  switch (request.op) {
    case 'serve':
      return serve(request.ports)
    case 'roundTrips':
      return askAll(request.all)
    default:
      return request satisfies never
  }
}

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, ...request } = JSON.parse(line) as ProbeRequest & { id: number }
    const answer = await carryOut(request as ProbeRequest).then(
      (value) => ({ id, value: value ?? null }),
      (error: Error) => ({ id, error: error.message }),
    )
    process.stdout.write(`${JSON.stringify(answer)}\n`)
  })
  .once('close', () => process.exit())
process.stdout.write('{}\n')
