import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Server, status, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js'
import type { AgentMessage__Output } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import type { EnrolRequest__Output } from '../../proto/gen/temblor/agent/v1/EnrolRequest.ts'
import type { EnrolResponse } from '../../proto/gen/temblor/agent/v1/EnrolResponse.ts'
import { loadAgentService } from '../../proto/load.ts'
import type { ControllerConfig } from '../config.ts'
import { isId } from '../store/keys.ts'
import { isStorageError } from '../store/redis.ts'
import { openGathered } from './gathered.ts'
import { Heartbeats } from './heartbeats.ts'
import type { Team } from '../store/companies.ts'
import type { AgentSubject } from './authority.ts'
import type { AgentDoor } from './door.ts'
import { createInbox } from './inbox.ts'
import { listenFor } from './listen.ts'
import { createRegistrations, type Admission } from './registrations.ts'
import { AgentSession, type SessionDeps } from './session.ts'
import { soundMessage } from './sound-message.ts'
import { openStream, sentAway, type AgentCall, type AgentStream } from './stream.ts'

/** A half-open connection is given up after both. */
const keepalive = { 'grpc.keepalive_time_ms': 20_000, 'grpc.keepalive_timeout_ms': 10_000 }

/** Agents that were to go may be so much later than they should. */
const lateMs = 3_000

/** A host that asks for its first certificate while storage is away comes back after this time. */
const storageAwayRetryMs = 5_000

/** Each is a record and an entry of the audit: of more a host waits. */
const manualPerSecond = 10

/** Bounds at the agents' door. */
export type AgentLimits = Pick<ControllerConfig, 'registrationsPerSecond' | 'drainMs'>

interface ServerDeps extends SessionDeps {
  readonly admit: () => Admission
}

export interface AgentServer {
  readonly port: number
  /** Lets nobody in any more and asks the agents to go elsewhere; resolves when they have, or had the time. */
  drain(): Promise<void>
  /** Ends all sessions and stops listening. */
  close(): Promise<void>
}

/**
 * Listens for agents. Only `Enrol` is served without a client certificate of our own authority.
 * @throws Error when the port is taken
 */
export async function startAgentServer(
  given: Omit<SessionDeps, 'heartbeats' | 'gathered'>,
  door: AgentDoor,
  listen: { host: string; port: number },
  limits: AgentLimits,
): Promise<AgentServer> {
  const heartbeats = new Heartbeats({ hosts: given.store.hosts, logger: given.logger })
  const admit = createRegistrations(limits.registrationsPerSecond)
  // Anybody may ask for a certificate: that must not keep out those who have one.
  const admitEnrolment = createRegistrations(limits.registrationsPerSecond)
  const gathered = openGathered(given.store.executions)
  const deps = { ...given, heartbeats, gathered, admit }
  const server = new Server({ ...keepalive, 'grpc.enable_channelz': 0 })
  server.addService(loadAgentService().service, {
    Enrol: (
      call: ServerUnaryCall<EnrolRequest__Output, EnrolResponse>,
      reply: sendUnaryData<EnrolResponse>,
    ) => {
      const admission = admitEnrolment()
      if (!admission.ok) return reply(sentAway(admission.retryAfterMs))
      enrol(deps, call.request, call.getPeer()).then(
        (response) => reply(null, response),
        (error: Error) => reply(refusalOf(deps, call.getPeer(), error)),
      )
    },
    Session: (call: AgentCall) => {
      // Without response headers at once the client keeps every message it ever sent.
      call.sendMetadata(call.metadata.clone())
      void serveSession(deps, door.subjectOf(call), call)
    },
  })
  const agentPort = await listenFor(server, door.credentials, listen)
  let stopped: Promise<unknown> | undefined
  // grpc-js counts connections that it was handed as gone when it has asked them to go.
  const stopAccepting = () =>
    (stopped ??= Promise.all([
      agentPort.close(),
      new Promise<void>((resolve) => server.tryShutdown(() => resolve())),
    ]))
  const { hub } = deps
  return {
    port: agentPort.port,
    async drain() {
      void stopAccepting()
      const neededMs = (hub.connected() / limits.registrationsPerSecond) * 1_000
      const windowMs = Math.ceil(Math.min(neededMs, limits.drainMs))
      hub.drain(windowMs)
      await hub.empty(windowMs + lateMs)
    },
    async close() {
      hub.endAll()
      heartbeats.close()
      const force = setTimeout(() => agentPort.cut(), 1_000)
      await stopAccepting()
      clearTimeout(force)
    },
  }
}

async function enrol(
  deps: SessionDeps,
  request: EnrolRequest__Output,
  peer: string,
): Promise<EnrolResponse> {
  const { teamId, teamSecret, instanceId, csrPem } = request
  const agent = { teamId, instanceId, peer }
  const team = isId(teamId) ? await deps.store.companies.findTeam(teamId) : undefined
  const secret = team ? await deps.store.companies.readTeamSecret(team) : ''
  if (!team || !isSame(secret, teamSecret)) {
    void deps.agentAudit.enrolled(agent, team ? 'wrong_secret' : 'unknown_team')
    throw new Error('Team id and secret do not belong together. Copy the join line again.')
  }
  if (!isId(instanceId)) throw new Error('The instance id must be a UUID.')
  const subject = { teamId, instanceId }
  const certificatePem = await deps.authority.issueAgentCertificate(csrPem, subject)
  deps.logger.info({ teamId, instanceId }, 'agent enrolled')
  await deps.agentAudit.enrolled(agent)
  return { certificatePem }
}

/** Only who was not let in is told why; whoever asks while storage is away comes again. */
function refusalOf({ logger }: SessionDeps, peer: string, error: Error) {
  logger.warn({ peer }, `enrolment refused: ${error.message}`)
  return isStorageError(error)
    ? sentAway(storageAwayRetryMs, 'Storage is away. Come back later.')
    : { code: status.UNAUTHENTICATED, details: error.message }
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

async function serveSession(
  deps: ServerDeps,
  subject: AgentSubject | undefined,
  call: AgentCall,
): Promise<void> {
  const stream = openStream(call)
  let session: AgentSession | undefined
  try {
    if (!subject) {
      const message = 'This agent has no valid certificate. Enrol it with a join line.'
      stream.close({ refusal: { code: 'certificate_invalid', message, final: true } })
      return
    }
    let put: ReturnType<typeof createInbox> | undefined
    const begin = async (message: AgentMessage__Output): Promise<boolean> => {
      session = await welcome(deps, subject, stream, message, call)
      if (session) put = inboxOf(deps, session, stream)
      return session !== undefined
    }
    await stream.each((said) => {
      const message = soundMessage(said)
      if (!session || !put) return begin(message)
      // Heartbeats wait for nothing: agents must hear of us while storage is away.
      if (!message.heartbeat) return put(message)
      session.onHeartbeat(message.heartbeat)
      return undefined
    })
  } catch (err) {
    deps.logger.info({ err, host: session?.identifier }, 'session of an agent broke')
  } finally {
    if (session) deps.hub.leave(session)
    stream.close()
  }
}

function inboxOf(deps: ServerDeps, session: AgentSession, stream: AgentStream) {
  const admit = createRegistrations(manualPerSecond)
  const handle = async (message: AgentMessage__Output): Promise<void> => {
    for (let may = message.manualAttack && admit(); may?.ok === false; may = admit())
      await sleep(may.retryAfterMs, undefined, { ref: false })
    await session.handle(message)
  }
  return createInbox({
    handle,
    isOver: () => stream.isOver(),
    isGathered: (message) => session.isGathered(message),
    isCrowded: () => deps.gathered.words.isCrowded(session.teamId),
    onFailure(err) {
      deps.logger.info({ err, host: session.identifier }, 'session of an agent broke')
      stream.close()
    },
  })
}

/** Opens the session that a Hello asks for, or says why not. */
async function welcome(
  deps: ServerDeps,
  subject: AgentSubject,
  stream: AgentStream,
  { hello }: AgentMessage__Output,
  call: AgentCall,
): Promise<AgentSession | undefined> {
  // Whoever may have an attack running is heard at once, so that it does not end for want of a controller.
  const admission = hello?.knownExecutions.length === 0 ? deps.admit() : ({ ok: true } as const)
  if (!admission.ok) {
    stream.sendAway(admission.retryAfterMs)
    return undefined
  }
  const team = hello && (await teamOf(deps, subject, hello.instanceId))
  if (team) return await AgentSession.open(deps, { subject, team }, stream, hello, call.getPeer())
  const text = 'The certificate is not for this agent, or its team is gone. Enrol it again.'
  stream.close({ refusal: { code: 'unknown_team', message: text, final: true } })
  return undefined
}

/** The team that an agent belongs to; undefined when the certificate is not its own, or the team is gone. */
async function teamOf(
  deps: SessionDeps,
  subject: AgentSubject,
  instanceId: string,
): Promise<Team | undefined> {
  if (subject.instanceId !== instanceId) return undefined
  return await deps.store.companies.findTeam(subject.teamId)
}
