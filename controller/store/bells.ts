import { keys } from './keys.ts'
import type { WrittenOrder } from './creation-result.ts'
import { openSubscriber, type Redis } from './redis.ts'

/** Something that one controller tells another; what it is about is in Redis already. */
export type Ring =
  /** Orders wait for these hosts of a team. Of a few they are told as they were written; the others are to be read. */
  | {
      readonly kind: 'deliver'
      readonly teamId: string
      readonly identifiers: readonly string[]
      readonly orders?: readonly ToldOrder[]
    }
  /** The host is revoked: its session ends for good. */
  | {
      readonly kind: 'cutOff'
      readonly teamId: string
      readonly identifier: string
      readonly reason: string
    }
  /** A newer session took over: older ones of this host end. */
  | {
      readonly kind: 'replaced'
      readonly teamId: string
      readonly identifier: string
      readonly epoch: number
    }

/** An order, and Redis' clock when it was written. */
export interface ToldOrder extends WrittenOrder {
  readonly nowMs: number
}

/** The bells of the controllers on one Redis: quick, and lost when nobody hears them. */
export interface Bells {
  /** Rings at another controller. @throws Error when storage is away */
  ring(controllerId: string, ring: Ring): Promise<void>
  /** Hears the rings for this controller, also after a lost connection. Resolves when it listens. */
  listen(listener: (ring: Ring) => void): Promise<void>
  close(): void
}

/** Opens the bell of a controller on a connection of its own. */
export function openBells(redis: Redis, redisUrl: string, controllerId: string): Bells {
  const connection = openSubscriber(redisUrl)
  // It connects again and subscribes anew by itself; what was missed comes with the next heartbeat.
  connection.on('error', () => undefined)
  return {
    async ring(id, ring) {
      await redis.spublish(keys.bell(id), JSON.stringify(ring))
    },
    async listen(listener) {
      connection.on('smessage', (_channel: string, text: string) =>
        listener(JSON.parse(text) as Ring),
      )
      await connection.ssubscribe(keys.bell(controllerId))
    },
    close: () => connection.disconnect(),
  }
}
