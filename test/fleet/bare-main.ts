import { randomUUID } from 'node:crypto'
import { Server } from '@grpc/grpc-js'
import { openAuthority } from '../../controller/agents/authority.ts'
import { mutualTls } from '../../controller/agents/door.ts'
import type { AgentCall } from '../../controller/agents/stream.ts'
import { readKeyFile } from '../../controller/auth/key-file.ts'
import { loadAgentService } from '../../proto/load.ts'
import { plainDoor } from './plain-door.ts'
import { answerParent } from './questions.ts'
import { sawAck, sawOrder, watchSelf } from './self-watch.ts'

/**
 * What a controller is measured against: a bare server of grpc-js that welcomes agents, reads their
 * heartbeats and keeps nothing. `bare-main.ts plain|tls <key file> <port>`, 0 for any.
 */
const [mode, keyFile = '', wantedPort] = process.argv.slice(2)
const { answers, traffic } = watchSelf()
const calls = new Set<AgentCall>()
const welcome = {
  welcome: { sessionEpoch: 1, heartbeatMs: 5000, leaseMs: 15_000, deadManMs: 30_000 },
}

/** As long as the order of an attack is on the wire. */
function halt() {
  const executionId = randomUUID()
  sawOrder(traffic, executionId)
  return { halt: { executionId, generation: 2, attackId: randomUUID().repeat(3) } }
}

const server = new Server({ 'grpc.enable_channelz': 0 })
server.addService(loadAgentService().service, {
  Enrol: () => undefined,
  Session: (call: AgentCall) => {
    call.sendMetadata(call.metadata.clone())
    calls.add(call)
    const forget = () => calls.delete(call)
    call.on('cancelled', forget)
    call.on('error', forget)
    call.on('end', () => {
      forget()
      call.end()
    })
    call.on('data', ({ hello, commandAck }) => {
      if (hello) call.write(welcome)
      else if (commandAck) sawAck(traffic, commandAck.executionId)
    })
  },
})
const door =
  mode === 'plain' ? plainDoor() : await mutualTls(await openAuthority(readKeyFile(keyFile)))
const address = `127.0.0.1:${wantedPort}`
const grpcPort = await new Promise<number>((resolve, reject) => {
  server.bindAsync(address, door.credentials, (error, port) =>
    error ? reject(error) : resolve(port),
  )
})

const bareAnswers = {
  ...answers,
  /** A word to one of them. */
  pushOne() {
    const all = [...calls]
    all[Math.floor(Math.random() * all.length)]?.write(halt())
  },
  pushAll() {
    for (const call of calls) call.write(halt())
  },
}
export type BareAnswers = typeof bareAnswers

process.send?.({ ready: true, grpcPort })
answerParent(bareAnswers)
process.once('SIGTERM', () => process.exit())
process.once('disconnect', () => process.exit())
