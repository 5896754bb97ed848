import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { makePrivateFolder } from '../host/durable-file.ts'
import { serveLocalHost, type LocalHost } from './local-host.ts'
import type { ControlAnswer, ControlRequest } from './protocol.ts'
import { PlainError } from '../plain-error.ts'
import { controlSocketPath, isOwnFolder } from './socket-path.ts'

/** Longer requests are no requests. */
const longestRequest = 65_536

/**
 * Listens for the command line of this host, on a Unix socket that only this user can open. Whoever
 * goes away while an attack runs halts it.
 */
export async function startControlServer(
  options: Parameters<typeof serveLocalHost>[0],
): Promise<{ close(): Promise<void> }> {
  const host = serveLocalHost(options)
  const path = controlSocketPath(options.core.config.stateDir)
  makePrivateFolder(dirname(path))
  if (dirname(path) !== options.core.config.stateDir && !isOwnFolder(path))
    throw new PlainError(`The folder ${dirname(path)} belongs to another user. Remove it.`)
  // Left by a process that was killed; the lock says that nobody else is there.
  rmSync(path, { force: true })
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    void serve(host, socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return {
    async close() {
      for (const socket of open) socket.end()
      await new Promise((resolve) => {
        server.close(resolve)
        setTimeout(() => open.forEach((socket) => socket.destroy()), 500).unref()
      })
    },
  }
}

async function serve(host: LocalHost, socket: Socket): Promise<void> {
  const gone = new AbortController()
  socket.on('error', () => gone.abort())
  socket.on('close', () => gone.abort())
  const answer = (value: ControlAnswer) => {
    if (socket.writable) socket.write(`${JSON.stringify(value)}\n`)
  }
  try {
    const request = await readRequest(socket)
    // The far end closing its side (or dying) halts what it started.
    socket.on('end', () => gone.abort())
    socket.resume()
    await carryOut(host, request, answer, gone.signal)
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) })
  } finally {
    socket.end()
  }
}

async function carryOut(
  host: LocalHost,
  request: ControlRequest,
  answer: (value: ControlAnswer) => void,
  gone: AbortSignal,
): Promise<void> {
  switch (request.op) {
    case 'status':
      return answer({ status: await host.status() })
    case 'rollback':
      return answer({ reverted: await host.rollback() })
    case 'attack': {
      const onUpdate = (update: ControlAnswer['update']) => update && answer({ update })
      return answer({ report: await host.attack(request.attack, onUpdate, gone) })
    }
    default:
      request satisfies never
      throw new Error('This agent does not know that request.')
  }
}

function readRequest(socket: Socket): Promise<ControlRequest> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (data: Buffer) => {
      text += data.toString()
      if (text.length > longestRequest) reject(new Error('The request is too long.'))
      if (!text.includes('\n')) return
      socket.off('data', onData)
      try {
        resolve(JSON.parse(text) as ControlRequest)
      } catch {
        reject(new Error('The request is not JSON.'))
      }
    }
    socket.on('data', onData)
    socket.once('end', () => reject(new Error('The request is incomplete.')))
  })
}
