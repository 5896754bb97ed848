import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type Docker from 'dockerode'
import { protectLabel } from '../../shared/protect-label.ts'
import { identify, readProc } from '../host/processes.ts'
import { listenToEvents, type EngineEvent } from './events.ts'
import {
  EngineError,
  type ContainerControl,
  type ContainerEvent,
  type ContainerRun,
  type ContainerState,
} from './source.ts'

/** A container as it is shown to people and matched by labels. */
export interface ListedContainer {
  readonly id: string
  readonly name: string
  readonly image: string
  readonly state: 'running' | 'paused'
  readonly labels: Readonly<Record<string, string>>
  readonly protected: boolean
}

export interface EngineInfo {
  readonly id: string
  readonly version: string
}

interface TakingOptions {
  readonly t: number
  readonly abortSignal: AbortSignal
}

/**
 * When to look at the list after an event: a burst of them (compose up) makes one look. The second one
 * is for an engine that told of the event before its list showed it, or that was too busy to answer.
 */
const lookAfterMs = [20, 1000]
/** Beyond this an engine that does not answer is treated as not there. */
const engineTimeoutMs = 10_000
/** An agent starts without an engine that does not answer by then. */
const firstLookMs = 5000

/**
 * The Docker Engine of this host. Loaded only when its socket is there; kept current from its
 * events; an engine that goes away or comes later is found again.
 */
export class DockerEngine implements ContainerControl {
  readonly socketPath: string
  readonly #onChange: () => void
  readonly #followers = new Map<string, Set<(event: ContainerEvent) => void>>()
  readonly #closing = new AbortController()
  #client: Docker | undefined
  #list: readonly ListedContainer[] = []
  /** Died and not started since: the engine may list them for a moment longer. */
  readonly #dead = new Set<string>()
  #looking: Promise<void> = Promise.resolve()
  #info: EngineInfo | undefined
  #looksToCome: readonly NodeJS.Timeout[] = []

  /** `onChange` is called when the list or the engine has changed. */
  constructor(socketPath: string, onChange: () => void = () => undefined) {
    this.socketPath = socketPath
    this.#onChange = onChange
  }

  /** Running and paused containers, as of the newest event. */
  get containers(): readonly ListedContainer[] {
    return this.#list
  }

  /** undefined while there is no engine. */
  get info(): EngineInfo | undefined {
    return this.#info
  }

  /** Why containers cannot be reached here; undefined when they can. */
  get missingReason(): string | undefined {
    if (this.#info) return undefined
    const there = existsSync(this.socketPath)
    return there
      ? `the Docker Engine at ${this.socketPath} does not answer`
      : `no Docker Engine at ${this.socketPath}`
  }

  /** Starts to listen; resolves after the first look, or soon when no engine answers. */
  async open(): Promise<void> {
    const firstLook = Promise.withResolvers<void>()
    void listenToEvents({
      connect: () => this.#connect(),
      signal: this.#closing.signal,
      onConnected: async () => {
        await this.#look()
        this.#tellAll('unknown')
        firstLook.resolve()
      },
      onDisconnected: () => {
        this.#lost()
        firstLook.resolve()
      },
      onEvent: (event) => this.#heard(event),
    })
    await Promise.race([firstLook.promise, sleep(firstLookMs, undefined, { ref: false })])
  }

  close(): void {
    this.#cancelLooks()
    this.#closing.abort()
  }

  async resolve(idOrName: string): Promise<ContainerState | undefined> {
    const seen = await this.#inspect(idOrName)
    if (!seen) return undefined
    const init = seen.State.Running ? identify(seen.State.Pid) : undefined
    const name = seen.Name.replace(/^\//, '')
    const isHere = init && readProc(`${init.pid}/cgroup`)?.includes(seen.Id)
    if (init && !isHere)
      throw new EngineError(`The container ${name} does not run on this host's kernel.`)
    return {
      id: seen.Id,
      name,
      paused: seen.State.Paused,
      protected: isProtected(seen.Config.Labels),
      target: init && {
        kind: 'Container',
        id: seen.Id,
        name,
        startedAt: seen.State.StartedAt,
        init,
      },
    }
  }

  async inspect(id: string): Promise<ContainerRun | undefined> {
    const seen = await this.#inspect(id)
    if (!seen) return undefined
    const { Name: policy, MaximumRetryCount: most } = seen.HostConfig.RestartPolicy ?? {}
    return {
      running: seen.State.Running,
      paused: seen.State.Paused,
      startedAt: seen.State.StartedAt,
      restartCount: seen.RestartCount,
      restartPolicy: `${policy || 'no'}${most ? `:${most}` : ''}`,
      exitCode: seen.State.ExitCode,
    }
  }

  stop(id: string, graceSeconds: number): Promise<void> {
    return this.#take(id, (container, options) => container.stop(options), graceSeconds)
  }

  restart(id: string, graceSeconds: number): Promise<void> {
    return this.#take(id, (container, options) => container.restart(options), graceSeconds)
  }

  follow(id: string, listener: (event: ContainerEvent) => void): () => void {
    const listeners = this.#followers.get(id) ?? new Set()
    this.#followers.set(id, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#followers.delete(id)
    }
  }

  /** Has the engine take a container down; one that is down already is fine. */
  async #take(
    id: string,
    act: (container: Docker.Container, options: TakingOptions) => Promise<unknown>,
    graceSeconds: number,
  ): Promise<void> {
    const client = await this.#connect()
    const abortSignal = AbortSignal.timeout(graceSeconds * 1000 + engineTimeoutMs)
    try {
      await act(client.getContainer(id), { t: graceSeconds, abortSignal })
    } catch (error) {
      const { statusCode, message } = error as Error & { statusCode?: number }
      if (statusCode !== 304) throw new EngineError(`The Docker Engine did not do it: ${message}`)
    }
  }

  async #inspect(idOrName: string): Promise<Docker.ContainerInspectInfo | undefined> {
    // It becomes part of a path of the engine's interface.
    if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(idOrName)) return undefined
    const client = await this.#connect()
    try {
      const abortSignal = AbortSignal.timeout(engineTimeoutMs)
      return await client.getContainer(idOrName).inspect({ abortSignal })
    } catch (error) {
      if ((error as { statusCode?: number }).statusCode === 404) return undefined
      throw new EngineError(`The Docker Engine does not answer: ${(error as Error).message}`)
    }
  }

  async #connect(): Promise<Docker> {
    if (!existsSync(this.socketPath))
      throw new EngineError(`There is no Docker Engine at ${this.socketPath}.`)
    if (!this.#client) {
      // 10 MB of memory and 100 ms that an agent without containers does not spend.
      const { default: Dockerode } = await import('dockerode')
      this.#client = new Dockerode({ socketPath: this.socketPath })
    }
    return this.#client
  }

  /** Looks at the list, one look after the other: the answers of two could come in any order. */
  #look(): Promise<void> {
    this.#looking = this.#looking.catch(() => undefined).then(() => this.#lookNow())
    return this.#looking
  }

  async #lookNow(): Promise<void> {
    const client = await this.#connect()
    const signal = AbortSignal.timeout(engineTimeoutMs)
    const filters = { status: ['running', 'paused'] }
    const listed = await client.listContainers({ filters, abortSignal: signal })
    const listedIds = new Set(listed.map(({ Id }) => Id))
    for (const id of this.#dead) if (!listedIds.has(id)) this.#dead.delete(id)
    this.#list = listed
      .map(toListed)
      .filter(({ id }) => !this.#dead.has(id))
      .sort((a, b) => a.id.localeCompare(b.id))
    if (!this.#info) {
      const info = (await client.info()) as { ID: string; ServerVersion: string }
      this.#info = { id: info.ID, version: info.ServerVersion }
    }
    this.#onChange()
  }

  #lost(): void {
    this.#list = []
    this.#dead.clear()
    this.#info = undefined
    this.#onChange()
  }

  #heard({ action, id }: EngineEvent): void {
    const [verb = ''] = action.split(':')
    if (isContainerEvent(verb)) for (const listener of this.#followers.get(id) ?? []) listener(verb)
    if (!changesTheList(verb)) return
    if (verb === 'start') this.#dead.delete(id)
    if (verb === 'die' || verb === 'destroy') this.#bury(id)
    this.#cancelLooks()
    // When the last one fails too, the engine is going; listening notices and looks again.
    const look = () => void this.#look().catch(() => undefined)
    this.#looksToCome = lookAfterMs.map((delayMs) => setTimeout(look, delayMs))
  }

  #cancelLooks(): void {
    for (const timer of this.#looksToCome) clearTimeout(timer)
  }

  /** It can be targeted no more from this moment, whatever the engine still lists. */
  #bury(id: string): void {
    this.#dead.add(id)
    const before = this.#list.length
    this.#list = this.#list.filter((container) => container.id !== id)
    if (this.#list.length < before) this.#onChange()
  }

  #tellAll(event: ContainerEvent): void {
    for (const listeners of this.#followers.values())
      for (const listener of listeners) listener(event)
  }
}

function isContainerEvent(action: string): action is ContainerEvent {
  return ['start', 'die', 'pause', 'unpause', 'destroy'].includes(action)
}

function changesTheList(action: string): boolean {
  return isContainerEvent(action) || action === 'rename' || action === 'update'
}

function toListed(seen: Docker.ContainerInfo): ListedContainer {
  const labels = seen.Labels ?? {}
  return {
    id: seen.Id,
    name: (seen.Names[0] ?? seen.Id).replace(/^\//, ''),
    image: seen.Image,
    state: seen.State === 'paused' ? 'paused' : 'running',
    labels,
    protected: isProtected(labels),
  }
}

function isProtected(labels: Readonly<Record<string, string>> | null): boolean {
  return labels?.[protectLabel.key] === protectLabel.value
}
