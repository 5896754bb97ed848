import { connect, createServer, type Socket } from 'node:net'

/** What stands before several controllers: carries each connection to the first of them that takes it. */
export interface Balancer extends AsyncDisposable {
  readonly port: number
  /** Ports on loopback, in the order in which they are tried. */
  targets: readonly number[]
}

/** Listens on loopback. */
export async function startBalancer(targets: readonly number[]): Promise<Balancer> {
  const open = new Set<Socket>()
  const carry = (client: Socket, [port, ...others]: readonly number[]): void => {
    if (port === undefined) return void client.destroy()
    const controller = connect(port, '127.0.0.1')
    const next = () => carry(client, others)
    controller.once('error', next)
    controller.once('connect', () => {
      controller.off('error', next).on('error', () => client.destroy())
      controller.on('close', () => client.destroy())
      client.on('close', () => controller.destroy())
      client.pipe(controller).pipe(client)
    })
  }
  const server = createServer((client) => {
    open.add(client.on('error', () => undefined).on('close', () => open.delete(client)))
    carry(client, balancer.targets)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const balancer: Balancer = {
    port: (server.address() as { port: number }).port,
    targets,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return balancer
}
