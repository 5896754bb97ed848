import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilTargetable } from '../support/agent.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import {
  dockerSkipReason,
  needsDocker,
  targetContainers,
  untilKnown,
  type TargetContainers,
} from '../support/docker.ts'
import { cpuRate } from '../support/effect.ts'
import {
  cpuSeconds,
  descendants,
  processes,
  stillThere,
  withEnvironment,
  type ProcessInfo,
} from '../support/processes.ts'
import { startService, type Service } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'

let service: Service
let api: Api
let host: string
let instanceId: string
let containers: TargetContainers | undefined

beforeAll(async () => {
  service = await startService({ TEMBLOR_HEARTBEAT_MS: '2000' })
  api = service.owner
  const [own] = await api.activeClients()
  host = own?.identifier ?? ''
  instanceId = own?.instance_id ?? ''
  if (!dockerSkipReason) containers = await targetContainers()
})
afterAll(async () => {
  await containers?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

/** The agent that runs now and what it has started. */
function agentNow(): { pid: number; children: ProcessInfo[] } {
  const { pid } = service.part('agent')
  return { pid, children: descendants(pid) }
}

/** Of this service and no other: the tests of faults kill agents on this machine meanwhile. */
function ownProcesses(): ProcessInfo[] {
  const helpers = processes().filter(({ command }) => command.includes(`temblor:${instanceId}:`))
  return [...withEnvironment('TEMBLOR_DATA_DIR', service.dataDir), ...helpers]
}

/** Waits until `npm start` has started another agent than this one and it takes attacks again. */
async function untilRestarted(formerPid: number): Promise<void> {
  await until('npm start has started the agent again', () => agentNow().pid !== formerPid)
  await untilTargetable(api, host)
}

/** A later attack works, and no process of ours is busy but its own. */
async function expectHealthy(): Promise<void> {
  const id = await api.attack(cpuAttack('-l 1 -p 5'))
  expect(await api.finished(id)).toMatchObject([{ stage: 'Successful', reason: 'completed' }])
  expect(await cpuRate(() => cpuSeconds(agentNow().children), 0.5)).toBeLessThan(0.05)
}

/** A container of its own for one test, with the labels that find it. */
async function target(name: string) {
  const set = containers as TargetContainers
  const labels = { app: `${name}-${set.run}` }
  const one = await set.start(labels)
  await untilKnown(api, [one])
  return { one, labels, attack: (args: string) => cpuAttack(args, { type: 'Random' }, labels) }
}

describe('an agent that is killed in the middle of an attack', () => {
  test('takes the fault on the host with it; the record says so and the next attack works', async () => {
    const id = await api.attack(cpuAttack('-l 600 -p 40'))
    await api.running(id)
    const { pid, children } = agentNow()
    // It is the build that is killed here, with the helper from beside it.
    expect(children.map(({ command }) => command).join()).toContain('dist/cpu-burner.js')
    const own = ownProcesses().map((one) => one.pid)
    expect(own).toEqual(expect.arrayContaining([pid, ...children.map((one) => one.pid)]))
    process.kill(pid, 'SIGKILL')
    await until('the burners are gone', () => stillThere(children).length === 0, 2000)

    await untilRestarted(pid)
    expect(await api.finished(id, 15_000)).toMatchObject([
      { stage: 'ClientAborted', stage_lifecycle: 'Error', reason: 'agent_restarted' },
    ])
    await expectHealthy()
  })

  test('again and again while attacks start leaves nothing behind', async () => {
    const { pid } = agentNow()
    const ids = [
      await api.attack(cpuAttack('-l 600 -p 10')),
      await api.attack(cpuAttack('-l 600 -p 10')),
    ]
    process.kill(pid, 'SIGKILL')
    await untilRestarted(pid)
    await Promise.all(ids.map((id) => api.halt(id)))
    for (const id of ids) {
      const [row] = await api.finished(id, 15_000)
      expect(['ClientAborted', 'UserHalted']).toContain(row?.stage)
    }
    await expectHealthy()
    expect(ownProcesses().filter((one) => one.parent === 1)).toEqual([])
  })
})

describe('an agent that is frozen', () => {
  test('for a while: the faults end by themselves, and the record says so when it wakes up', async () => {
    const { one, attack } = containers ? await target('agent-frozen') : {}
    const ids = [
      await api.attack(cpuAttack('-l 600 -p 30')),
      ...(attack ? [await api.attack(attack('-l 600 -p 60'))] : []),
    ]
    await Promise.all(ids.map((id) => api.running(id)))
    const { pid, children } = agentNow()
    try {
      process.kill(pid, 'SIGSTOP')
      await until('nothing burns', () => cpuIdle(children), 15_000)
      expect(one ? await cpuRate(one.cpuSeconds, 0.3) : 0).toBeLessThan(0.02)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    for (const id of ids) {
      const [row] = await api.finished(id, 15_000)
      expect(row?.stage).toBe('ClientAborted')
      expect(['agent_frozen', 'controller_lost']).toContain(row?.reason)
    }
    expect(one?.pids().length ?? 1).toBe(1)
    await untilTargetable(api, host)
    await expectHealthy()
  })

  test('past the deadline: the record says that it was silent, it is not hit meanwhile, and waking up changes nothing', async () => {
    const id = await api.attack(cpuAttack('-l 4 -p 10'))
    await api.running(id)
    const { pid } = agentNow()
    try {
      process.kill(pid, 'SIGSTOP')
      await until(
        'the host is not targetable',
        async () => (await api.activeClients()).every((client) => !client.targetable),
        20_000,
        apiPollMs,
      )
      const { error } = await api.refused(cpuAttack('-l 1'))
      expect(error.code).toBe('target_not_found')
      expect(await api.finished(id, 60_000)).toMatchObject([
        { stage: 'LostCommunication', stage_lifecycle: 'Error', reason: 'agent_silent' },
      ])
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    const over = await api.readAttack(id)
    await untilTargetable(api, host)
    await expectHealthy()
    expect(await api.readAttack(id)).toMatchObject({
      stage: 'LostCommunication',
      end_time: over.end_time,
    })
  })
})

/** Whether these processes are gone or use no CPU for a third of a second. */
async function cpuIdle(of: readonly ProcessInfo[]): Promise<boolean> {
  if (stillThere(of).length === 0) return true
  const rate = await cpuRate(() => cpuSeconds(of), 0.3)
  // One that ended meanwhile takes its sum with it, while another may still burn.
  return rate >= 0 && rate < 0.02
}

describe('a container that', () => {
  needsDocker()

  test('is removed ends its own execution and no other', async () => {
    const set = containers as TargetContainers
    const { one, labels, attack } = await target('removed')
    const twin = await set.start(labels)
    await untilKnown(api, [twin])
    const id = await api.attack(attack('-l 8 -p 20'))
    await api.running(id)
    await one.container.remove({ force: true })
    const gone = await until(
      'the execution of the removed container is over',
      async () => {
        const rows = await api.executions(id)
        return rows.find((row) => row.guest_id === one.id && row.end_time !== null)
      },
      6000,
      apiPollMs,
    )
    expect(gone).toMatchObject({ stage: 'ClientAborted', reason: 'target_gone' })
    expect(await api.readAttack(id)).toMatchObject({ stage: 'Running' })
    const rows = await api.finished(id)
    expect(rows.find((row) => row.guest_id === twin.id)?.stage).toBe('Successful')
    expect(await api.readAttack(id)).toMatchObject({ stage: 'ClientAborted' })
    await expectHealthy()
  })

  test('is restarted is followed for the time that remains and not longer', async () => {
    const { one, attack } = await target('restarted')
    const id = await api.attack(attack('-l 8 -p 40'))
    await api.running(id)
    const started = performance.now()
    await one.container.restart({ t: 0 })
    await until('it burns again', async () => (await cpuRate(one.cpuSeconds, 0.5)) > 0.1, 8000)
    expect(await api.readAttack(id)).toMatchObject({ stage: 'Running' })
    const [row] = await api.finished(id, 20_000)
    expect(row).toMatchObject({ stage: 'Successful' })
    expect((performance.now() - started) / 1000).toBeLessThan(10)
    expect(await cpuRate(one.cpuSeconds, 0.5)).toBeLessThan(0.02)
    expect(one.pids().length).toBe(1)
  })

  test('is paused ends its attack in time and is left as it is', async () => {
    const { one, attack } = await target('paused')
    const id = await api.attack(attack('-l 5 -p 40'))
    await api.running(id)
    await one.container.pause()
    const paused = await until(
      'the list says that it is paused',
      async () => {
        const listed = (await api.containers()).find((other) => other.identifier === one.id)
        return listed?.state === 'paused'
      },
      5000,
      apiPollMs,
    )
    expect(paused).toBe(true)
    const [row] = await api.finished(id, 12_000)
    expect(['Successful', 'ClientAborted']).toContain(row?.stage)
    const { State } = await one.container.inspect()
    expect(State).toMatchObject({ Paused: true, Running: true })

    await one.container.unpause()
    expect(await cpuRate(one.cpuSeconds, 0.5)).toBeLessThan(0.02)
    expect(one.pids().length).toBe(1)
    const again = await api.attack(attack('-l 1 -p 10'))
    expect(await api.finished(again)).toMatchObject([{ stage: 'Successful' }])
  })

  test('is attacked when the agent is killed is free within two seconds', async () => {
    const { one, attack } = await target('agent-killed')
    const id = await api.attack(attack('-l 600 -p 60'))
    await api.running(id)
    expect(one.pids().length).toBeGreaterThan(1)
    const { pid } = agentNow()
    process.kill(pid, 'SIGKILL')
    await until('only its own process is in it', () => one.pids().length === 1, 2000)
    await untilRestarted(pid)
    expect(await api.finished(id, 15_000)).toMatchObject([
      { stage: 'ClientAborted', reason: 'agent_restarted', guest_id: one.id },
    ])
    const again = await api.attack(attack('-l 1 -p 10'))
    expect(await api.finished(again)).toMatchObject([{ stage: 'Successful' }])
  })
})
