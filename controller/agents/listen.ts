import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { Server, ServerCredentials } from '@grpc/grpc-js'

/**
 * So many connections may wait in the kernel, if it allows as many (`net.core.somaxconn`). grpc-js has 511; beyond that
 * the kernel drops what an agent says, and the agent believes for half a minute that it is connected.
 */
const backlog = 4_096

/** What listens for agents. */
export interface AgentPort {
  readonly port: number
  /** Lets nobody in any more; resolves when all who were let in are gone. */
  close(): Promise<void>
  /** Breaks all connections. */
  cut(): void
}

/**
 * Listens for a server of grpc-js, with room for the agents of a controller that was killed, which all come at once.
 * An IPv6 address may stand in brackets; of a name, all addresses are listened on.
 * @throws Error when the port is taken, or the address is none of this machine
 */
export async function listenFor(
  server: Server,
  credentials: ServerCredentials,
  { host, port }: { host: string; port: number },
): Promise<AgentPort> {
  const injector = server.createConnectionInjector(credentials)
  const sockets = new Set<Socket>()
  const letIn = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    injector.injectConnection(socket)
  }
  const addresses = await lookup(host.replace(/^\[(.*)\]$/, '$1'), { all: true })
  const listeners: ReturnType<typeof createServer>[] = []
  let bound = port
  for (const { address } of addresses) {
    const listener = createServer({ noDelay: true }, letIn)
    listener.listen({ host: address, port: bound, backlog })
    await once(listener, 'listening')
    // Whoever could not be let in, for want of files, comes again.
    listener.on('error', () => undefined)
    listeners.push(listener)
    bound = (listener.address() as AddressInfo).port
  }
  return {
    port: bound,
    async close() {
      await Promise.all(
        listeners.map((one) => new Promise<void>((resolve) => one.close(() => resolve()))),
      )
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
