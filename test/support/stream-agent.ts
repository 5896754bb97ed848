import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { credentials, type ServiceError } from '@grpc/grpc-js'
import { controllerName } from '../../agent/ca-pin.ts'
import { obtainWhenAdmitted } from '../../agent/enrol.ts'
import type { AgentCredentials } from '../../agent/identity.ts'
import type { AgentMessage } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import type { ControllerMessage__Output } from '../../proto/gen/temblor/agent/v1/ControllerMessage.ts'
import type { Hello } from '../../proto/gen/temblor/agent/v1/Hello.ts'
import { loadAgentService } from '../../proto/load.ts'
import { parseJoinLine } from '../../shared/join-line.ts'
import { loadFirstService } from './first-protocol.ts'
import { temporaryDir } from './service.ts'

const hearWithinMs = 15_000

/** What a controller told a stream agent, and when (`performance.now()`). */
export interface Heard {
  readonly message: ControllerMessage__Output
  readonly atMs: number
}

/** One session in the agents' own protocol, in this process; it does nothing unless the test does. */
export interface StreamSession extends AsyncDisposable {
  readonly heard: readonly Heard[]
  send(message: AgentMessage): void
  /** The first message that is accepted, heard already or within 15 s. */
  hear(accepts: (message: ControllerMessage__Output) => unknown): Promise<Heard>
  /** Reads nothing more until `resume`. */
  pause(): void
  resume(): void
  /** Resolves when the stream is over, with the error if there was one. */
  readonly ended: Promise<ServiceError | undefined>
}

/** An agent that has joined and opens sessions as a test wants. */
export interface StreamAgent {
  readonly identifier: string
  readonly instanceId: string
  /** Opens a session at the controller on this port, and says Hello. */
  open(port?: number, hello?: Partial<Hello>): StreamSession
}

type Service = ReturnType<typeof loadFirstService>

/** Joins a team. */
export async function joinStreamAgent(
  identifier: string,
  line: string,
  protocol: 'present' | 'first' = 'present',
): Promise<StreamAgent> {
  const Client = protocol === 'first' ? loadFirstService() : loadAgentService()
  const [dir, instanceId] = [temporaryDir(), randomUUID()]
  const joined = await obtainWhenAdmitted(dir, instanceId, parseJoinLine(line), () => undefined)
  rmSync(dir, { recursive: true, force: true })
  const bootId = randomUUID()
  return {
    identifier,
    instanceId,
    open(port, hello = {}) {
      const address = port === undefined ? joined.address : `127.0.0.1:${port}`
      const base = { identifier, instanceId, bootId, version: '0.0.1', inventory: {} }
      return openSession(Client, { ...joined, address }, { ...base, ...hello })
    },
  }
}

function openSession(
  Client: Service,
  { address, caPem, keyPem, certificatePem }: AgentCredentials,
  hello: Hello,
): StreamSession {
  const pem = [caPem, keyPem, certificatePem].map((text) => Buffer.from(text))
  const client = new Client(address, credentials.createSsl(...pem), {
    'grpc.ssl_target_name_override': controllerName,
    'grpc.use_local_subchannel_pool': 1,
  })
  const call = client.session()
  const heard: Heard[] = []
  const waiting = new Set<() => void>()
  const ended = Promise.withResolvers<ServiceError | undefined>()
  call.on('data', (message: ControllerMessage__Output) => {
    heard.push({ message, atMs: performance.now() })
    for (const check of waiting) check()
  })
  call.on('error', (error: ServiceError) => ended.resolve(error))
  call.on('end', () => ended.resolve(undefined))
  call.write({ hello })
  return {
    heard,
    ended: ended.promise,
    send: (message) => void call.write(message),
    hear: (accepts) =>
      new Promise((resolve, reject) => {
        const since = heard.length
        const timer = setTimeout(() => {
          const kinds = heard.slice(since).map(({ message }) => Object.keys(message).join())
          reject(new Error(`Not heard in 15 s; since it was asked: ${kinds.join('; ')}`))
        }, hearWithinMs)
        const check = () => {
          const found = heard.find(({ message }) => accepts(message))
          if (!found) return
          waiting.delete(check)
          clearTimeout(timer)
          resolve(found)
        }
        waiting.add(check)
        check()
      }),
    pause: () => void call.pause(),
    resume: () => void call.resume(),
    async [Symbol.asyncDispose]() {
      call.cancel()
      client.close()
      await ended.promise
    },
  }
}
