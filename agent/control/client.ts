import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { AgentConfig } from '../config.ts'
import type { ExecutionUpdate } from '../execution-update.ts'
import type { LocalHost } from './local-host.ts'
import type { ControlAnswer, ControlRequest } from './protocol.ts'
import { controlSocketPath } from './socket-path.ts'
import { PlainError } from '../plain-error.ts'

/** The agent on this host did not do what it was asked; the message is for people. */
export class ControlError extends PlainError {
  override readonly name = 'ControlError'
}

/** This host through its running agent; undefined when none runs. */
export async function connectToAgent(config: AgentConfig): Promise<LocalHost | undefined> {
  const path = controlSocketPath(config.stateDir)
  if (!(await canConnect(path))) return undefined
  return {
    attack: (attack, onUpdate, signal) =>
      ask(path, { op: 'attack', attack }, 'report', { onUpdate, signal }),
    status: () => ask(path, { op: 'status' }, 'status'),
    rollback: () => ask(path, { op: 'rollback' }, 'reverted'),
    close: () => Promise.resolve(),
  }
}

/**
 * This host through its running agent or, without one, through this very process.
 * @throws LockedError when a process without a control socket has the journal
 */
export async function openLocalHost(config: AgentConfig): Promise<LocalHost> {
  const agent = await connectToAgent(config)
  if (agent) return agent
  // Not needed, and slow to load, where an agent runs.
  const { openCore } = await import('../core.ts')
  const { serveLocalHost } = await import('./local-host.ts')
  const watchers = new Set<(update: ExecutionUpdate) => void>()
  const core = await openCore(config, {
    onUpdate: (update) => watchers.forEach((watch) => watch(update)),
  })
  const host = serveLocalHost({ core, watchers, link: () => undefined })
  return {
    ...host,
    async rollback() {
      // Opening the journal has taken back what was in it.
      const { ended, leftBehind } = await host.rollback()
      return { ended: [...new Set([...core.recovered, ...ended])], leftBehind }
    },
  }
}

function canConnect(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES') return resolve(false)
      reject(
        new ControlError(`The agent belongs to another user (${path}). Run this as that user.`),
      )
    })
  })
}

/** Sends a request and waits for its last word. Aborting halts; the last word still comes. */
function ask<K extends 'report' | 'status' | 'reverted'>(
  path: string,
  request: ControlRequest,
  wanted: K,
  options: { onUpdate?: (update: ExecutionUpdate) => void; signal?: AbortSignal } = {},
): Promise<NonNullable<ControlAnswer[K]>> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ path, allowHalfOpen: true })
    const halt = () => socket.end()
    options.signal?.addEventListener('abort', halt, { once: true })
    socket.once('error', reject)
    socket.once('close', () => reject(new ControlError('The agent went away.')))
    createInterface({ input: socket }).on('line', (line) => {
      const answer = JSON.parse(line) as ControlAnswer
      if (answer.update) options.onUpdate?.(answer.update)
      if (answer.error !== undefined) reject(new ControlError(answer.error))
      const last = answer[wanted]
      if (last) resolve(last)
      if (last || answer.error !== undefined) socket.destroy()
    })
    socket.write(`${JSON.stringify(request)}\n`)
  })
}
