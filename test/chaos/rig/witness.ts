import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import type { Effect } from '../history.ts'

/** Sees every effect from outside: it is there while its connection is. */
export interface Witness {
  readonly port: number
  /** Everything seen so far; what is still there has no end. */
  effects(): Effect[]
  close(): void
}

export async function startWitness(listen: string): Promise<Witness> {
  const seen: (Omit<Effect, 'end'> & { end: number | undefined })[] = []
  const server = createServer((socket) => {
    let effect: (typeof seen)[number] | undefined
    const lines = createInterface({ input: socket })
    lines.on('error', () => undefined)
    lines.on('line', (line) => {
      const [host = '', execution = '', attack = '', lengthMs = ''] = line.split(' ')
      const begin = performance.now()
      effect = { host, execution, attack, lengthMs: Number(lengthMs), begin, end: undefined }
      seen.push(effect)
      socket.write('seen\n')
    })
    const over = () => {
      if (effect) effect.end ??= performance.now()
    }
    socket.on('error', () => undefined)
    socket.on('end', over)
    socket.on('close', over)
  })
  server.listen(0, listen)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    effects: () => seen.map((effect) => ({ ...effect })),
    close: () => void server.close(),
  }
}
