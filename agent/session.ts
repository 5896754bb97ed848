import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js'
import type { AgentMessage } from '../proto/gen/temblor/agent/v1/AgentMessage.ts'
import type { ControllerMessage__Output } from '../proto/gen/temblor/agent/v1/ControllerMessage.ts'
import type { Hello } from '../proto/gen/temblor/agent/v1/Hello.ts'
import type { Refusal__Output } from '../proto/gen/temblor/agent/v1/Refusal.ts'
import type { Welcome__Output } from '../proto/gen/temblor/agent/v1/Welcome.ts'
import { retryAfterMsOf } from './backoff.ts'
import { openChannel } from './channel.ts'
import type { AgentCredentials } from './identity.ts'

/** How a session ended. */
export type SessionEnd =
  | { readonly kind: 'refused'; readonly refusal: Refusal__Output }
  /** `retryAfterMs`: the controller said when to come back. */
  | { readonly kind: 'lost'; readonly message: string; readonly retryAfterMs?: number }
  /** The controller is about to stop; another one takes over. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'closed' }

/** Hears what the controller says after its welcome. */
export type MessageListener = (message: ControllerMessage__Output) => void

const welcomeTimeoutMs = 10_000
const goodbyeTimeoutMs = 1000

/** One mutually authenticated stream to a controller, from Hello to its end. */
export class Session {
  /** Resolves with what the controller wants; never, when it does not want us. */
  readonly welcome: Promise<Welcome__Output>
  readonly ended: Promise<SessionEnd>
  readonly #call: ClientDuplexStream<AgentMessage, ControllerMessage__Output>
  #finish: (end: SessionEnd) => void
  #moving = false

  constructor(credentials: AgentCredentials, hello: Hello, listener: MessageListener) {
    const client = openChannel(credentials.address, credentials.caPem, credentials)
    const call = client.session()
    this.#call = call
    const welcome = Promise.withResolvers<Welcome__Output>()
    const ended = Promise.withResolvers<SessionEnd>()
    this.welcome = welcome.promise
    const timer = setTimeout(
      () => this.#finish({ kind: 'lost', message: 'no welcome came' }),
      welcomeTimeoutMs,
    )
    this.#finish = (end) => {
      clearTimeout(timer)
      ended.resolve(end)
    }
    this.ended = ended.promise.finally(() => {
      call.cancel()
      client.close()
    })
    call.on('data', (message: ControllerMessage__Output) => {
      if (message.refusal) return this.#finish({ kind: 'refused', refusal: message.refusal })
      if (message.welcome) {
        clearTimeout(timer)
        welcome.resolve(message.welcome)
      } else listener(message)
    })
    call.on('error', (error: ServiceError) => this.#finish(lostBy(error)))
    call.on('end', () =>
      this.#finish(
        this.#moving ? { kind: 'moved' } : { kind: 'lost', message: 'the controller ended it' },
      ),
    )
    call.write({ hello })
  }

  send(message: AgentMessage): void {
    if (this.#call.writable) this.#call.write(message)
  }

  /** Ends the stream as one that is lost. */
  drop(message: string): void {
    this.#finish({ kind: 'lost', message })
  }

  /** Says goodbye and ends the stream; resolves when it is over. */
  async close(reason: string): Promise<void> {
    this.send({ bye: { reason } })
    await this.#leave({ kind: 'closed' })
  }

  /** Ends the stream without a goodbye: the host goes on being a target. */
  async move(): Promise<void> {
    this.#moving = true
    await this.#leave({ kind: 'moved' })
  }

  async #leave(end: SessionEnd): Promise<void> {
    this.#call.end()
    const timer = setTimeout(() => this.#finish(end), goodbyeTimeoutMs)
    await this.ended
    clearTimeout(timer)
  }
}

function lostBy(error: ServiceError): SessionEnd {
  const message = error.details || error.message
  const retryAfterMs = retryAfterMsOf(error)
  return { kind: 'lost', message, ...(retryAfterMs ? { retryAfterMs } : {}) }
}
