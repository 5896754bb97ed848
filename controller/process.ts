import { pino } from 'pino'
import { mutualTls } from './agents/door.ts'
import { readConfig } from './config.ts'
import { startController } from './controller.ts'
import { giveBackMemory } from './give-back.ts'

/**
 * The life of the process of a controller. To a parent with an IPC channel it reports `{ready, httpPort,
 * grpcPort}`, or `{ready: false, message}` before it exits with 1.
 */
export async function runController(): Promise<void> {
  await live().catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${message}\n`)
    if (process.send) process.send({ ready: false, message }, () => process.exit(1))
    else process.exit(1)
  })
}

const giveUp = (): void => process.exit(0)

async function live(): Promise<void> {
  const config = readConfig(process.env)
  const logger = pino({ level: config.logLevel }, pino.destination(2))
  // Whoever started it may be gone before storage is there.
  process.once('disconnect', giveUp)
  const controller = await startController(config, logger, mutualTls, giveBackMemory)
  const { httpPort, grpcPort } = controller
  logger.info({ httpPort, grpcPort }, 'controller is ready')
  process.send?.({ ready: true, httpPort, grpcPort })
  let isClosing = false
  const close = (cause: string): void => {
    if (isClosing) return
    isClosing = true
    logger.info({ cause }, 'controller stops')
    void controller.close().finally(() => process.exit(0))
  }
  let isDraining = false
  const stop = (cause: string): void => {
    // Whoever says it twice does not want to wait.
    if (isDraining) return close(cause)
    isDraining = true
    logger.info({ cause }, 'controller lets its agents go')
    void controller.drain().finally(() => close(cause))
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  process.off('disconnect', giveUp)
  process.once('disconnect', () => close('parent gone'))
}
