import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.[Symbol.asyncDispose]())

test('revoking the host that the service itself runs on leaves the service up, and it can come back', async () => {
  const [own] = await service.owner.activeClients()
  const path = `/clients/${own?.identifier}`
  expect((await service.owner.send('DELETE', path)).status).toBe(200)
  await until('the agent is gone', () => service.process.output().includes('refuses the agent'))
  expect((await service.owner.send('GET', '/clients')).status).toBe(200)
  expect(await service.owner.activeClients()).toEqual([])
  expect((await service.owner.send('PUT', `${path}/activate`)).status).toBe(200)
  await until(
    'it is back',
    async () => (await service.owner.activeClients()).some((client) => client.targetable),
    30_000,
    apiPollMs,
  )
})
