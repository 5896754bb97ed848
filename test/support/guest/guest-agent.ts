import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

/** The end of a command in a guest. */
export interface GuestResult {
  readonly code: number
  /** The signal that ended it, or undefined. */
  readonly signal: number | undefined
  readonly stdout: string
  readonly stderr: string
}

interface ExecStatus {
  readonly exited: boolean
  readonly exitcode?: number
  readonly signal?: number
  readonly 'out-data'?: string
  readonly 'err-data'?: string
}

interface Answer {
  readonly id?: number
  readonly return?: unknown
  readonly error?: { readonly desc: string }
}

const answerTimeoutMs = 45_000
const fastestPollMs = 10
const slowestPollMs = 100

/** The guest gave no answer: it is down, on its way up, or has no processor time to spare. */
export class GuestSilent extends Error {
  override readonly name = 'GuestSilent'
}

/**
 * Speaks with qemu-guest-agent in a guest over a virtio serial port. The port is no network and its
 * waits are not by the clock, so that neither a network fault nor a set clock in the guest matters.
 */
export class GuestAgentClient {
  readonly #socket: Socket
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #lastId = 0

  /** @param path the socket of QEMU that leads to the port */
  constructor(path: string) {
    this.#socket = connect(path)
    // When QEMU ends so do the waits, by their own limit; how it ended is told elsewhere.
    this.#socket.on('error', () => {})
    createInterface({ input: this.#socket }).on('line', (line) => this.#onLine(line))
  }

  /** Whether the guest answers within the time. */
  async isUp(withinMs: number): Promise<boolean> {
    // Ends whatever an earlier life of the guest had read by half; the complaint about it has no id.
    this.#socket.write(Buffer.of(0xff))
    return await this.#ask('guest-ping', {}, withinMs).then(
      () => true,
      () => false,
    )
  }

  /**
   * Runs a program to its end.
   * @throws GuestSilent when the guest does not answer, Error when the program cannot be started or
   * does not end within the time (it is killed then)
   */
  async run(
    command: readonly string[],
    timeoutMs: number,
    input?: string | Buffer,
  ): Promise<GuestResult> {
    const data = input === undefined ? {} : { 'input-data': Buffer.from(input).toString('base64') }
    const pid = await this.start(command, { 'capture-output': true, ...data })
    const deadline = performance.now() + timeoutMs
    for (let pollMs = fastestPollMs; ; pollMs = Math.min(pollMs * 1.5, slowestPollMs)) {
      const status = await this.#ask<ExecStatus>('guest-exec-status', { pid })
      if (status.exited) return resultOf(status)
      if (performance.now() > deadline) {
        await this.start(['kill', '-KILL', String(pid)])
        throw new Error(`Not over within ${timeoutMs} ms in the guest: ${command.join(' ')}`)
      }
      await delay(pollMs)
    }
  }

  /**
   * Starts a program and does not ask how it ends.
   * @returns its process id in the guest
   * @throws GuestSilent when the guest does not answer, Error when the program cannot be started
   */
  async start(command: readonly string[], options: object = {}): Promise<number> {
    const [path, ...arg] = command
    const { pid } = await this.#ask<{ pid: number }>('guest-exec', { path, arg, ...options })
    return pid
  }

  close(): void {
    this.#socket.destroy()
  }

  #ask<T>(execute: string, args: object, withinMs = answerTimeoutMs): Promise<T> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id)
        reject(new GuestSilent(`The guest did not answer ${execute} within ${withinMs} ms.`))
      }, withinMs)
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer)
        if (answer.error) reject(new Error(`${execute} in the guest: ${answer.error.desc}`))
        else resolve(answer.return as T)
      })
      this.#socket.write(`${JSON.stringify({ execute, arguments: args, id })}\n`)
    })
  }

  #onLine(line: string): void {
    const answer = parse(line)
    const settle = answer?.id === undefined ? undefined : this.#waiting.get(answer.id)
    if (answer?.id === undefined || !settle) return
    this.#waiting.delete(answer.id)
    settle(answer)
  }
}

/** The first line after a restart of the guest may be the tail of an older one. */
function parse(line: string): Answer | undefined {
  try {
    return JSON.parse(line) as Answer
  } catch {
    return undefined
  }
}

function resultOf(status: ExecStatus): GuestResult {
  const text = (name: 'out-data' | 'err-data') =>
    Buffer.from(status[name] ?? '', 'base64').toString()
  return {
    code: status.exitcode ?? 128 + (status.signal ?? 0),
    signal: status.signal,
    stdout: text('out-data'),
    stderr: text('err-data'),
  }
}
