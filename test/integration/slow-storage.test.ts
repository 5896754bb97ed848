import { Transform } from 'node:stream'
import { expect, test } from 'vitest'
import { openRedis } from '../../controller/store/redis.ts'
import { startRelay } from '../chaos/rig/relay.ts'
import { cpuAttack } from '../support/api.ts'
import { newEmail, startTestController } from '../support/in-process.ts'
import { startTestRedis } from '../support/redis.ts'
import { startWayTo } from '../support/redis-way.ts'
import { joinStreamAgent } from '../support/stream-agent.ts'

test('a halt reaches its agent where each answer of storage takes longer than an order to begin may wait', async () => {
  await using controller = await startTestController()
  let lateMs = 0
  using way = await startWayTo(
    controller.environment['TEMBLOR_REDIS_URL'] ?? '',
    () =>
      new Transform({
        transform(chunk: Buffer, _encoding, done) {
          setTimeout(() => this.writableEnded || this.push(chunk), lateMs)
          done()
        },
      }),
  )
  await using slow = await controller.further({ TEMBLOR_REDIS_URL: way.url })
  const company = await controller.store.companies.addCompany('Acme')
  const team = await controller.store.companies.addTeam(company, 'Payments')
  const teams = { [team.id]: ['TEAM_MANAGER'] as const }
  const api = await controller.join(company, { email: newEmail('manager'), teams })
  const agent = await joinStreamAgent('h1', await controller.joinLine(team, slow.grpcPort))
  await using session = agent.open()
  await session.hear(({ welcome }) => welcome)
  const id = await api.attack(cpuAttack('-l 60 -p 1'))
  const { message } = await session.hear(({ run }) => run)
  session.send({ commandAck: { executionId: message.run?.executionId ?? '', generation: 1 } })

  lateMs = 1_500
  await api.halt(id)
  const heard = await session.hear(({ halt }) => halt)
  expect(heard.message.halt).toMatchObject({ executionId: message.run?.executionId })
  lateMs = 0
})

test('storage that says nothing is connected to anew, and what was given up by then is not asked again', async () => {
  await using own = await startTestRedis()
  const relay = await startRelay(() => ({ path: own.url.replace('unix://', '') }))
  const redis = openRedis(`redis://127.0.0.1:${relay.port}`)
  redis.on('error', () => undefined)
  await redis.ping()
  relay.hold('up')
  await expect(redis.incr('given up')).rejects.toThrow('timed out')
  await new Promise((closed) => redis.once('close', () => closed(undefined)))
  const inTime = redis.incr('in time')
  // What was on its way is lost.
  relay.cut()
  relay.heal()
  expect(await inTime).toBe(1)
  expect(await own.redis.get('given up')).toBeNull()
  redis.disconnect()
  relay.close()
})
