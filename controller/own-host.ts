import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Store } from './store/store.ts'

/** Thrice within the time for which one registration lasts. */
const registerEveryMs = 20_000

/** The boot id of the kernel that this controller runs on; '' where there is none. */
export function ownBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

/**
 * Keeps the host of this controller known, so that no attack takes it down by accident. Resolves when
 * it is known. @throws Error when storage is away
 */
export async function registerOwnHost(
  store: Store,
  bootId: string,
  logger: Logger,
): Promise<{ close(): void }> {
  if (bootId === '') return { close: () => undefined }
  await store.controllers.register(bootId)
  const timer = setInterval(() => {
    store.controllers
      .register(bootId)
      .catch((err: unknown) => logger.warn({ err }, 'this host could not be registered'))
  }, registerEveryMs)
  return { close: () => clearInterval(timer) }
}
