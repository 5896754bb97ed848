import { pino } from 'pino'
import { readConfig } from './config.ts'
import { startController } from './controller.ts'

/**
 * Entry of the controller process. To a parent with an IPC channel it reports `{ready, httpPort,
 * grpcPort}`, or `{ready: false, message}` before it exits with 1.
 */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const logger = pino({ level: config.logLevel }, pino.destination(2))
  const controller = await startController(config, logger)
  const { httpPort, grpcPort } = controller
  logger.info({ httpPort, grpcPort }, 'controller is ready')
  process.send?.({ ready: true, httpPort, grpcPort })
  let isStopping = false
  const stop = (cause: string): void => {
    if (isStopping) return
    isStopping = true
    logger.info({ cause }, 'controller stops')
    void controller.close().finally(() => process.exit(0))
  }
  process.once('SIGTERM', () => stop('SIGTERM'))
  process.once('SIGINT', () => stop('SIGINT'))
  process.once('disconnect', () => stop('parent gone'))
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${message}\n`)
  if (process.send) process.send({ ready: false, message }, () => process.exit(1))
  else process.exit(1)
})
