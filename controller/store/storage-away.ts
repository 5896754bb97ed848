import { setTimeout as delay } from 'node:timers/promises'
import { isStorageError, type Redis } from './redis.ts'

const tryEveryMs = 250

/** What keeps a connection from being made and may pass by itself, beyond what ends one that was there. */
const unreachable = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'])

/**
 * Asks storage until it answers, and gives its answer. `whenAway` is told why it does not, the first time.
 * @throws Error when waiting does not help: a wrong password or certificate, something that is no Redis
 */
export async function onceStorageAnswers<T>(
  redis: Redis,
  ask: () => Promise<T>,
  whenAway: (why: string) => Promise<void> | void,
  signal?: AbortSignal,
): Promise<T> {
  // The error of a command says that there is no connection; that of the connection says why.
  let ofConnection: unknown
  const note = (error: unknown) => {
    ofConnection = error
  }
  redis.on('error', note)
  let isTold = false
  try {
    for (;;) {
      signal?.throwIfAborted()
      try {
        return await ask()
      } catch (error) {
        const cause = causeOf(isStorageError(error) ? (ofConnection ?? error) : error)
        if (!mayPass(cause)) throw explained(cause)
        if (!isTold) await whenAway(saidBy(cause))
        isTold = true
      }
      await delay(tryEveryMs, undefined, signal ? { signal } : {})
    }
  } finally {
    redis.off('error', note)
  }
}

/** What an error of a connection says. */
export function saidBy(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return message || code || 'no reason was given'
}

/** A Cluster says that no node could be used, and keeps why. */
function causeOf(error: unknown): unknown {
  return (error as { lastNodeError?: Error }).lastNodeError ?? error
}

function mayPass(cause: unknown): boolean {
  const { code = '', message } = cause as NodeJS.ErrnoException
  if (message.startsWith('All sentinels are unreachable'))
    return !/Last error: (WRONGPASS|NOAUTH|NOPERM|ERR)\b/.test(message)
  return isStorageError(cause) || unreachable.has(code)
}

/** Replies and what the protocol or TLS says name nothing that whoever starts a controller would know. */
function explained(cause: unknown): unknown {
  const { name, code = '', message } = cause as NodeJS.ErrnoException
  const isOfRedis =
    name === 'ReplyError' ||
    message.startsWith('Unknown RESP type') ||
    /SSL|TLS|CERT|EPROTO/.test(code)
  return isOfRedis
    ? new Error(`The Redis that TEMBLOR_REDIS_URL names cannot be used: ${message}`, { cause })
    : cause
}
