import { readyMessage, startChild, type ManagedChild } from '../../../deploy/local/child-process.ts'

/** A process that is killed and started again, frozen and thawed. */
export interface PartProcess {
  readonly name: string
  /** What it said when it was last ready. */
  ready: unknown
  readonly isAlive: boolean
  start(): Promise<void>
  kill(): void
  freeze(): void
  thaw(): void
  /** Ends it properly. */
  stop(): Promise<void>
}

export interface PartOptions {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly logFile: string
  /** Resolves when it does its work; without it, its first message says so. */
  readonly untilReady?: () => Promise<void>
  /** Called when it ended and nobody had killed it. */
  readonly onDeath: (code: number | null) => void
}

const readyMs = 60_000
const stopMs = 10_000

export function createPart(options: PartOptions): PartProcess {
  let child: ManagedChild | undefined
  let isWanted = false
  const watch = async (started: ManagedChild) => {
    const { code } = await started.ended
    if (child !== started || !isWanted) return
    isWanted = false
    options.onDeath(code)
  }
  const part: PartProcess = {
    name: options.name,
    ready: undefined,
    get isAlive() {
      return isWanted
    },
    async start() {
      const started = startChild({ ...options, ipc: !options.untilReady })
      child = started
      isWanted = true
      part.ready = undefined
      void watch(started)
      if (options.untilReady) {
        await options.untilReady()
        part.ready = true
      } else
        part.ready = await readyMessage(started, readyMs).catch((error: unknown) => {
          // It was killed while it started: that is what this is about.
          if (isWanted && child === started) throw error
        })
    },
    kill() {
      isWanted = false
      child?.kill()
    },
    freeze: () => void (isWanted && child?.process.kill('SIGSTOP')),
    thaw: () => void (isWanted && child?.process.kill('SIGCONT')),
    async stop() {
      isWanted = false
      child?.process.kill('SIGCONT')
      await child?.stop(stopMs)
    },
  }
  return part
}
