import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Transform } from 'node:stream'

export interface WayToRedis extends Disposable {
  readonly url: string
}

/** A way to a Redis on a Unix socket; its answers go through what `change` makes, one for each connection. */
export async function startWayTo(redisUrl: string, change: () => Transform): Promise<WayToRedis> {
  const path = redisUrl.replace('unix://', '')
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(path)
    open.add(near)
    near.on('error', () => far.destroy()).pipe(far)
    near.on('close', () => open.delete(near))
    far.on('error', () => near.destroy())
    far.pipe(change()).pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
