import { pino } from 'pino'
import { mutualTls, type OpenDoor } from '../../controller/agents/door.ts'
import { readConfig } from '../../controller/config.ts'
import { startController } from '../../controller/controller.ts'
import { giveBackMemory } from '../../controller/give-back.ts'
import { plainDoor } from './plain-door.ts'
import { answerParent } from './questions.ts'
import { watchSelf } from './self-watch.ts'
import { watchDoor } from './watch-door.ts'

/**
 * A controller for measurements: `controller-main.ts plain|tls`, set up by the same variables as any
 * other. It reports its ports to its parent and tells it what it sees of itself.
 */
const { answers, traffic } = watchSelf()
const openDoor: OpenDoor = async (authority) =>
  watchDoor(process.argv[2] === 'plain' ? plainDoor() : await mutualTls(authority), traffic)
const config = readConfig(process.env)
const logger = pino({ level: config.logLevel }, pino.destination(2))
const controller = await startController(config, logger, openDoor, giveBackMemory)
const { httpPort, grpcPort } = controller
process.send?.({ ready: true, httpPort, grpcPort })
answerParent(answers)
const stop = () => void controller.close().finally(() => process.exit(0))
process.once('SIGTERM', stop)
process.once('disconnect', stop)
