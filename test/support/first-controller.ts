import { createHash, randomUUID, X509Certificate } from 'node:crypto'
import {
  Metadata,
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerUnaryCall,
} from '@grpc/grpc-js'
import {
  createAuthority,
  openAuthority,
  type Authority,
} from '../../controller/agents/authority.ts'
import type { AgentMessage__Output } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import type { ControllerMessage } from '../../proto/gen/temblor/agent/v1/ControllerMessage.ts'
import type { EnrolRequest__Output } from '../../proto/gen/temblor/agent/v1/EnrolRequest.ts'
import type { EnrolResponse } from '../../proto/gen/temblor/agent/v1/EnrolResponse.ts'
import { loadFirstService } from './first-protocol.ts'

type Stream = ServerDuplexStream<AgentMessage__Output, ControllerMessage>

const teamId = randomUUID()
const secret = 'a secret'

/**
 * A controller of the first version that only does what a test tells it to, over real TLS and gRPC. So many that want
 * to join are told to come back, as later versions do it.
 */
export async function startFirstController({ sentAway = 0 } = {}) {
  const keys = await createAuthority()
  const authority: Authority = await openAuthority(keys)
  const own = await authority.issueControllerCertificate()
  const sessions: { stream: Stream; heard: AgentMessage__Output[] }[] = []
  const waiting = new Set<() => void>()
  const enrolments: EnrolRequest__Output[] = []
  let acknowledging = false
  const server = new Server()
  server.addService(loadFirstService().service, {
    Enrol: (
      call: ServerUnaryCall<EnrolRequest__Output, EnrolResponse>,
      reply: sendUnaryData<EnrolResponse>,
    ) => {
      enrolments.push(call.request)
      if (enrolments.length <= sentAway) {
        const metadata = new Metadata()
        metadata.set('retry-after', '0.25')
        return reply({ code: status.UNAVAILABLE, details: 'Come back later.', metadata })
      }
      const subject = { teamId, instanceId: call.request.instanceId }
      if (call.request.teamSecret !== secret)
        return reply({ code: status.UNAUTHENTICATED, details: 'wrong secret' })
      void authority
        .issueAgentCertificate(call.request.csrPem, subject)
        .then((certificatePem) => reply(null, { certificatePem }))
    },
    Session: (stream: Stream) => {
      const session = { stream, heard: [] as AgentMessage__Output[] }
      sessions.push(session)
      stream.on('error', () => undefined)
      stream.on('end', () => stream.end())
      stream.on('data', (message: AgentMessage__Output) => {
        session.heard.push(message)
        if (message.hello) stream.write({ welcome: { sessionEpoch: sessions.length, ...times } })
        const { executionUpdate } = message
        if (acknowledging && executionUpdate) {
          const { executionId, seq } = executionUpdate
          stream.write({ updateAck: { executionId, seq } })
        }
        for (const check of waiting) check()
      })
    },
  })
  const times = { heartbeatMs: 100, leaseMs: 300, deadManMs: 1000, controllerBootId: 'boot' }
  const pair = {
    private_key: Buffer.from(own.keyPem),
    cert_chain: Buffer.from(`${own.certificatePem}\n${keys.caCertificatePem}`),
  }
  const ca = Buffer.from(keys.caCertificatePem)
  const credentials = ServerCredentials.createSsl(ca, [pair], false)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  const caSha256 = createHash('sha256')
    .update(new X509Certificate(keys.caCertificatePem).raw)
    .digest('hex')
  return {
    sessions,
    enrolments,
    die: () => server.forceShutdown(),
    acknowledgeAll: () => {
      acknowledging = true
      for (const { stream, heard } of sessions)
        for (const { executionUpdate } of heard)
          if (executionUpdate && stream.writable) {
            const { executionId, seq } = executionUpdate
            stream.write({ updateAck: { executionId, seq } })
          }
    },
    join: { address: `127.0.0.1:${port}`, teamId, secret, caSha256 },
    /** The first message in session `index` that the test accepts, now or later. */
    heard: (index: number, accepts: (message: AgentMessage__Output) => unknown) =>
      new Promise<AgentMessage__Output>((resolve) => {
        const check = () => {
          const found = sessions[index]?.heard.find((message) => accepts(message))
          if (!found) return
          waiting.delete(check)
          resolve(found)
        }
        waiting.add(check)
        check()
      }),
  }
}
export type FirstController = Awaited<ReturnType<typeof startFirstController>>
