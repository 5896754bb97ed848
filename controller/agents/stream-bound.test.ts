import { once } from 'node:events'
import { credentials, Server, ServerCredentials, status, type ServiceError } from '@grpc/grpc-js'
import { afterEach, expect, it } from 'vitest'
import { loadAgentService } from '../../proto/load.ts'
import { openStream, queueLimitBytes, type AgentCall } from './stream.ts'

const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const clean of cleanUp.splice(0)) clean()
})

/** Both ends of a stream over a real connection. */
async function connected(stalledMs?: number) {
  const Service = loadAgentService()
  const server = new Server()
  const accepted = Promise.withResolvers<AgentCall>()
  server.addService(Service.service, { Enrol: () => undefined, Session: accepted.resolve })
  const port = await new Promise<number>((resolve, reject) => {
    const any = ServerCredentials.createInsecure()
    server.bindAsync('127.0.0.1:0', any, (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  const client = new Service(`127.0.0.1:${port}`, credentials.createInsecure())
  const agent = client.session()
  const failed = new Promise<ServiceError>((resolve) => agent.on('error', resolve))
  agent.write({ heartbeat: { seq: 1 } })
  const call = await accepted.promise
  call.sendMetadata(call.metadata.clone())
  await once(agent, 'metadata')
  cleanUp.push(
    () => client.close(),
    () => server.forceShutdown(),
  )
  return { agent, failed, call, stream: openStream(call, stalledMs) }
}

const order = { run: { executionId: 'x', paramsJson: 'a'.repeat(2_000) } }

it('an agent that does not read costs no more than the bound, and is cut off', async () => {
  const { agent, failed, call, stream } = await connected(300)
  agent.pause()
  const before = process.memoryUsage().heapUsed
  for (let sent = 0; sent < 30_000; sent += 1) stream.send(order)
  expect(call.writableLength * 2_000).toBeLessThanOrEqual(queueLimitBytes)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024)
  await expect.poll(() => stream.isOver()).toBe(true)
  agent.resume()
  expect(await failed).toMatchObject({ code: status.RESOURCE_EXHAUSTED })
})

it('one that reads hears everything, however much it is', async () => {
  const { agent, stream } = await connected()
  let heard = 0
  agent.on('data', () => {
    heard += 1
  })
  for (let slice = 1; slice <= 10; slice += 1) {
    for (let sent = 0; sent < 100; sent += 1) stream.send(order)
    await expect.poll(() => heard).toBe(slice * 100)
  }
  expect(stream.isOver()).toBe(false)
})
