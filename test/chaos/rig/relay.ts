import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export type Direction = 'up' | 'down' | 'both'

/** A way between two parts that can be cut, and on which bytes can be held back. */
export interface Relay {
  readonly port: number
  /** Breaks every connection and lets none be made. */
  cut(): void
  /** Reads nothing that goes this way (`up` is from whoever connected); nothing is lost. */
  hold(direction: Direction): void
  /**
   * Whoever is connected loses the connection; the other side hears nothing of it, as when a machine loses its
   * network. New connections are made as ever.
   */
  strand(): void
  /**
   * Resolves in the moment in which such bytes have gone up. With `hold`, nothing goes that way from the same
   * moment on.
   */
  seen(isIt: (bytes: Buffer) => boolean, hold?: Direction): Promise<void>
  /** As if nothing had been. */
  heal(): void
  close(): void
}

/** Where a relay leads to. */
export type Target = { readonly port: number; readonly host?: string } | { readonly path: string }

const loopback = '127.0.0.1'

/** Listens on loopback, or where it is told to; each connection goes to where `target` says at that moment. */
export async function startRelay(
  target: () => Target | undefined,
  listen: string = loopback,
): Promise<Relay> {
  const pairs = new Set<{ near: Socket; far: Socket }>()
  const stranded = new Set<Socket>()
  const watchers = new Set<(bytes: Buffer) => void>()
  let isCut = false
  let held: Direction | undefined
  const isHeld = (direction: Direction) => held === 'both' || held === direction
  const server = createServer((near) => {
    const to = isCut ? undefined : target()
    near.on('error', () => undefined)
    if (!to) return near.resetAndDestroy()
    const far = 'path' in to ? connect(to.path) : connect(to.port, to.host ?? loopback)
    const pair = { near, far }
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      if (!stranded.has(far)) far.destroy()
    }
    far.on('error', () => undefined)
    far.setNoDelay(true)
    near.setNoDelay(true)
    carry(near, far)
    carry(far, near)
    near.on('data', (bytes: Buffer) => watchers.forEach((watch) => watch(bytes)))
    if (isHeld('up')) near.pause()
    if (isHeld('down')) far.pause()
    near.on('close', end)
    far.on('close', end)
    return undefined
  })
  server.listen(0, listen)
  await once(server, 'listening')
  const breakAll = () => {
    for (const { near, far } of pairs) {
      near.resetAndDestroy()
      far.destroy()
    }
    for (const far of stranded) far.destroy()
    stranded.clear()
  }
  const hold = (direction: Direction) => {
    held = direction
    for (const { near, far } of pairs) {
      if (isHeld('up')) near.pause()
      if (isHeld('down')) far.pause()
    }
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true
      breakAll()
    },
    hold,
    strand() {
      for (const { near, far } of pairs) {
        stranded.add(far)
        near.resetAndDestroy()
      }
    },
    seen(isIt, direction) {
      return new Promise((done) => {
        const watch = (bytes: Buffer) => {
          if (!isIt(bytes)) return
          watchers.delete(watch)
          if (direction) hold(direction)
          done()
        }
        watchers.add(watch)
      })
    },
    heal() {
      isCut = false
      held = undefined
      for (const { near, far } of pairs) {
        near.resume()
        far.resume()
      }
    },
    close() {
      server.close()
      breakAll()
    },
  }
}

/** Without `pipe`, which would start to read again what is held. */
function carry(from: Socket, to: Socket): void {
  from.on('data', (bytes) => void to.write(bytes))
  from.on('end', () => to.end())
}
