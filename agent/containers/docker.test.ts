import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { DockerEngine } from './docker.ts'

const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const clean of cleanUp.splice(0).toReversed()) clean()
})

/** As much of the Engine API as an agent asks for, on a socket of its own. */
async function startEngine(socketPath: string) {
  const containers: { Id: string; State: string }[] = []
  const listeners = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    if (path === '/events') {
      response.writeHead(200).flushHeaders()
      listeners.add(response)
      return
    }
    const answer = { '/containers/json': containers, '/info': { ID: 'E', ServerVersion: '1' } }[
      path ?? ''
    ]
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { message: 'No such container' }))
  })
  await new Promise<void>((resolve) => {
    server.listen(socketPath, resolve)
  })
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  cleanUp.push(stop)
  return {
    stop,
    start(id: string, labels: Record<string, string> = {}) {
      const described = { Id: id, Names: [`/${id}`], Image: 'i', State: 'running', Labels: labels }
      containers.push(described)
      this.tell('start', id)
    },
    setState(id: string, state: string) {
      for (const container of containers) if (container.Id === id) container.State = state
    },
    tell(action: string, id: string) {
      const event = JSON.stringify({ Type: 'container', Action: action, Actor: { ID: id } })
      // In two pieces, as a busy engine may send it.
      for (const listener of listeners) {
        listener.write(event.slice(0, 10))
        listener.write(`${event.slice(10)}\n`)
      }
    },
    /** Resolves when the list has been asked for once more. */
    async asked() {
      await once(server, 'request')
    },
  }
}

function openEngine(socketPath: string) {
  const changed = { wake: () => undefined as void }
  const engine = new DockerEngine(socketPath, () => changed.wake())
  cleanUp.push(() => engine.close())
  const until = (accepts: () => boolean) =>
    new Promise<void>((resolve) => {
      changed.wake = () => {
        if (accepts()) resolve()
      }
      changed.wake()
    })
  return { engine, until }
}

it('keeps the list current, notices that the engine went, and finds it again', async () => {
  const socketPath = join(mkdtempSync(join(tmpdir(), 'temblor-engine-')), 'docker.sock')
  const { engine, until } = openEngine(socketPath)
  await engine.open()
  expect(engine.missingReason).toBe(`no Docker Engine at ${socketPath}`)

  const first = await startEngine(socketPath)
  await until(() => engine.info !== undefined)
  expect(engine.missingReason).toBeUndefined()
  first.start('one', { 'temblor.protect': 'true' })
  await until(() => engine.containers.length === 1)
  expect(engine.containers[0]).toEqual({
    id: 'one',
    name: 'one',
    image: 'i',
    state: 'running',
    labels: { 'temblor.protect': 'true' },
    protected: true,
  })

  first.stop()
  await until(() => engine.info === undefined)
  expect(engine.containers).toEqual([])
  expect(engine.missingReason).toContain(socketPath)

  const second = await startEngine(socketPath)
  second.start('two')
  await until(() => engine.containers[0]?.id === 'two')
})

it('looks again when the engine tells of an event before its list shows it', async () => {
  const socketPath = join(mkdtempSync(join(tmpdir(), 'temblor-engine-')), 'docker.sock')
  const fake = await startEngine(socketPath)
  const { engine, until } = openEngine(socketPath)
  await engine.open()
  fake.start('one')
  await until(() => engine.containers.length === 1)
  const asked = fake.asked()
  fake.tell('pause', 'one')
  await asked
  fake.setState('one', 'paused')
  await until(() => engine.containers[0]?.state === 'paused')
  expect(engine.containers).toMatchObject([{ id: 'one', state: 'paused' }])
})

it('tells whoever follows a container what happens to it, and to look when it may have missed it', async () => {
  const socketPath = join(mkdtempSync(join(tmpdir(), 'temblor-engine-')), 'docker.sock')
  const fake = await startEngine(socketPath)
  const { engine } = openEngine(socketPath)
  await engine.open()
  const heard: string[] = []
  const event = Promise.withResolvers<void>()
  const stop = engine.follow('one', (what) => {
    heard.push(what)
    event.resolve()
  })
  fake.start('other')
  fake.start('one')
  await event.promise
  expect(heard).toEqual(['start'])
  for (const name of ['one', '../info', 'one/json?', ''])
    expect(await engine.resolve(name)).toBeUndefined()
  stop()
})
