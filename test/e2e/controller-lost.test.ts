import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilTargetable } from '../support/agent.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { descendants, stillThere } from '../support/processes.ts'
import { startService, type Service } from '../support/service.ts'
import { elapse, until } from '../support/until.ts'
import { untilGone } from '../support/until-gone.ts'

const deadManMs = 4000

let service: Service
let api: Api
beforeAll(async () => {
  service = await startService({
    TEMBLOR_DEAD_MAN_MS: String(deadManMs),
    TEMBLOR_HEARTBEAT_MS: '1000',
  })
  api = service.owner
})
afterAll(() => service?.[Symbol.asyncDispose]())

/** An attack that runs, with the processes that it brought. */
async function runningAttack(args: string) {
  const agent = service.part('agent').pid
  const idle = descendants(agent)
  const id = await api.attack(cpuAttack(args))
  await api.running(id)
  const burners = descendants(agent).filter((one) => !idle.some((old) => old.pid === one.pid))
  expect(burners.length).toBeGreaterThan(0)
  return { id, burners }
}

test('a controller that is silent for longer than the limit ends what the agent runs', async () => {
  const { id, burners } = await runningAttack('-l 600 -p 30')
  const { pid } = service.part('controller')
  const before = performance.now()
  try {
    process.kill(pid, 'SIGSTOP')
    await until('the burners are gone', () => stillThere(burners).length === 0, deadManMs + 4000)
    expect(performance.now() - before).toBeGreaterThan(deadManMs - 2000)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  expect(await api.finished(id, 20_000)).toMatchObject([
    { stage: 'ClientAborted', stage_lifecycle: 'Error', reason: 'controller_lost' },
  ])
  const [client] = await api.activeClients()
  await untilTargetable(api, client?.identifier ?? '')
  const again = await api.attack(cpuAttack('-l 1 -p 5'))
  expect(await api.finished(again)).toMatchObject([{ stage: 'Successful' }])
})

test('one that is silent for less changes nothing', async () => {
  const { id, burners } = await runningAttack('-l 8 -p 20')
  const { pid } = service.part('controller')
  try {
    process.kill(pid, 'SIGSTOP')
    await elapse(1500)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  expect(stillThere(burners).length).toBe(burners.length)
  expect(await api.finished(id, 20_000)).toMatchObject([{ stage: 'Successful' }])
})

test('a controller that dies takes the service down, and what ran is reverted', async () => {
  const { burners } = await runningAttack('-l 600 -p 30')
  const children = descendants(service.process.pid)
  process.kill(service.part('controller').pid, 'SIGKILL')
  await until('the burners are gone', () => stillThere(burners).length === 0, deadManMs + 4000)
  await until('npm start has ended', () => service.process.hasEnded(), 30_000)
  const { code } = await service.process.ended
  expect(code).not.toBe(0)
  await untilGone(children)
})
