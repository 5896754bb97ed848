import { expect, test } from 'vitest'
import { keys } from '../../controller/store/keys.ts'
import { startNode } from '../support/command.ts'
import { startTestController } from '../support/in-process.ts'
import { until } from '../support/until.ts'

/** Node's own clock goes two hours ahead, as that of a host before it asks for the time. */
const clockAhead = 'data:text/javascript,const now = Date.now; Date.now = () => now() + 7_200_000'

test('overdue executions are looked for also after a controller whose clock was wrong', async () => {
  await using controller = await startTestController()
  const looked = () => controller.redis.hget(keys.silence, 'looked_ms')
  const untilLooked = async (what: string) => {
    const before = await looked()
    await until(what, async () => (await looked()) !== before, 10_000)
  }
  await untilLooked('it looks')
  const ahead = startNode(['--import', clockAhead, 'controller/main.ts'], {
    ...controller.environment,
    TEMBLOR_HTTP_PORT: '0',
    TEMBLOR_GRPC_PORT: '0',
  })
  await until(
    'the other one has planned',
    async () => {
      const [id = ''] = await controller.redis.zrange('{bull}:temblor-deadlines:delayed', '0', '-1')
      return Number(id.split(':').at(-1)) > Date.now() + 3_600_000
    },
    30_000,
  )
  await ahead.stop('SIGKILL')
  await untilLooked('it looks again')
  await untilLooked('it goes on')
  const health = await fetch(`${controller.baseUrl}/v1/health`)
  expect(await health.json()).toMatchObject({ parts: { deadlines: { status: 'ok' } } })
})
