import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { status } from '@grpc/grpc-js'
import { controllerName } from '../../agent/ca-pin.ts'
import type { AgentMessage } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import type { ControllerMessage__Output } from '../../proto/gen/temblor/agent/v1/ControllerMessage.ts'
import { encodeFrame, FrameReader, sessionPath } from './frames.ts'
import type { Identity } from './identities.ts'
import { plainHeaders } from './plain-door.ts'

/** Where a fleet connects. */
export interface FleetTarget {
  readonly host: string
  readonly port: number
  /** Undefined: without TLS, which only a controller of the bench understands. */
  readonly caPem: string | undefined
}

/** How a stream ended. */
export interface WireEnd {
  readonly message: string
  /** The controller is at its limit and wants to be asked again after this time. */
  readonly retryAfterMs: number | undefined
}

/** Real agents ask so often whether the controller is still there. */
const pingEveryMs = 20_000
/** And give a connection up on which nothing comes for so long. */
const answeredWithinMs = 30_000

/** One address has 28,000 ports, and those of closed connections rest for a minute. */
const agentsPerAddress = 4_000

/**
 * One stream of an agent over a connection of its own: gRPC frames over node's http2, which costs a
 * tenth of a gRPC client.
 */
export class Wire {
  /** Resolves when the stream is over, for whatever reason. */
  readonly ended: Promise<WireEnd>
  readonly #session: ClientHttp2Session
  readonly #stream: ClientHttp2Stream
  readonly #ping: NodeJS.Timeout
  readonly #finish: (end: WireEnd) => void

  constructor(
    target: FleetTarget,
    identity: Identity,
    listener: (message: ControllerMessage__Output) => void,
  ) {
    const { promise, resolve } = Promise.withResolvers<WireEnd>()
    this.#finish = resolve
    const scheme = target.caPem === undefined ? 'http' : 'https'
    const socket = openSocket(target, identity)
    this.#session = connect(`${scheme}://${controllerName}`, { createConnection: () => socket })
    this.#stream = this.#session.request({
      ':method': 'POST',
      ':path': sessionPath,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...(target.caPem === undefined ? plainHeaders(identity) : {}),
    })
    const reader = new FrameReader()
    let headers: IncomingHttpHeaders = {}
    this.#stream.on('data', (bytes: Buffer) => {
      for (const message of reader.read(bytes)) listener(message)
    })
    this.#stream.on('response', (got) => (headers = { ...headers, ...got }))
    this.#stream.on('trailers', (got) => (headers = { ...headers, ...got }))
    this.#stream.on('error', (error) => resolve(endOf(headers, error.message)))
    this.#session.on('error', (error: Error) => resolve(endOf(headers, error.message)))
    this.#stream.on('close', () => resolve(endOf(headers, 'the stream was closed')))
    const patience = setTimeout(
      () => resolve(endOf({}, `no answer within ${answeredWithinMs} ms`)),
      answeredWithinMs,
    )
    this.#stream.once('response', () => clearTimeout(patience))
    this.#ping = setInterval(() => {
      if (!this.#session.destroyed) this.#session.ping(() => undefined)
    }, pingEveryMs)
    this.ended = promise.finally(() => {
      clearTimeout(patience)
      this.cut()
    })
  }

  send(message: AgentMessage): void {
    if (this.#stream.writable) this.#stream.write(encodeFrame(message))
  }

  /** Ends our half; the controller ends the other. */
  end(): void {
    this.#stream.end()
  }

  /** Is over for this reason, whatever the controller says. */
  fail(message: string): void {
    this.#finish({ message, retryAfterMs: undefined })
  }

  /** Breaks the connection at once, as a network does. */
  cut(): void {
    clearInterval(this.#ping)
    this.#stream.close(constants.NGHTTP2_CANCEL)
    this.#session.destroy()
  }
}

function openSocket(target: FleetTarget, identity: Identity): Socket {
  const { host, port, caPem } = target
  const to = { host, port, noDelay: true, ...sourceOf(host, identity.index) }
  if (caPem === undefined) return connectTcp(to)
  return connectTls({
    ...to,
    ca: caPem,
    cert: identity.certificatePem,
    key: identity.keyPem,
    // The certificate names the controller, not its address.
    servername: controllerName,
    ALPNProtocols: ['h2'],
  })
}

/** On loopback there are as many addresses as one wants. */
function sourceOf(host: string, index: number): { localAddress?: string } {
  if (!host.startsWith('127.')) return {}
  return { localAddress: `127.0.1.${1 + Math.floor(index / agentsPerAddress)}` }
}

function endOf(headers: IncomingHttpHeaders, fallback: string): WireEnd {
  const isBusy = headers['grpc-status'] === String(status.UNAVAILABLE)
  const text = headers['grpc-message']
  const message = typeof text === 'string' && text !== '' ? decodeURIComponent(text) : fallback
  return { message, retryAfterMs: isBusy ? retryAfterOf(headers) : undefined }
}

/** Seconds, as in HTTP. */
function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds * 1000 : undefined
}
