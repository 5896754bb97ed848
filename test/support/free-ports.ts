import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below those that the kernel gives to whoever asks for any: nobody is given one of these before it is used. */
const ownPorts = { from: 20_000, to: 30_000 }

/** Ports of loopback that nobody listens on. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(ownPorts.from, ownPorts.to)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
