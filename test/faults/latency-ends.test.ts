import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { captureIn, expectSameState, type HostState } from '../support/host-state.ts'
import { until } from '../support/until.ts'
import { executorIn, type NamespaceExecutor } from './executor-in-namespace.ts'
import { heldIn, measureIn, refuseHelpers, runInside, untilNear } from './latency-rig.ts'
import { namespacePair, type NamespacePair } from './namespace-pair.ts'

const delayMs = 100
let pair: NamespacePair
let host: NamespaceExecutor
let measure: ReturnType<typeof measureIn>
let before: HostState
let id: string

/** A delay has nothing to do with files and control groups, which others may change meanwhile. */
const capture = async (): Promise<HostState> => ({
  ...(await captureIn(pair.names.near, { folders: [], marker: 'temblor:none' })),
  'control groups': [],
})

beforeAll(async () => {
  pair = await namespacePair()
  measure = measureIn(pair)
  before = await capture()
})
beforeEach(async () => {
  host = await executorIn(pair.path)
})
afterEach(async () => {
  await host.haltAll()
  await host[Symbol.asyncDispose]()
  refuseHelpers(host.options.instanceId)
  expectSameState(before, await capture())
})
afterAll(() => pair?.[Symbol.asyncDispose]())

async function startDelay(ms = delayMs): Promise<void> {
  id = host.attack('latency', { lengthSeconds: 300, delayMs: ms, addresses: [pair.chosen] })
  await host.running(id)
}

const helper = async (program: string) =>
  await until(`the ${program} is there`, () =>
    host.helpers().find(({ command }) => command.includes(program)),
  )
const isDelayed = () => untilNear(delayMs, () => measure.connects(pair.chosen))
const isNormal = () => untilNear(0, () => measure.connects(pair.chosen))

/** Another process with the same journal, as after a restart of the agent. */
async function comeBack(): Promise<void> {
  host = await executorIn(pair.path, host.options)
  expect(host.replayed).toEqual([id])
  expect(host.updates).toMatchObject([{ stage: 'ClientAborted', reason: 'agent_restarted' }])
}

describe('traffic is normal again', () => {
  it('when the agent is killed, and what was held arrives', async () => {
    await startDelay(60_000)
    const echo = pair.start('near', 'echo', pair.chosen, 50, 10)
    await until('some are held', async () => (await heldIn(pair.path)) > 10)
    await host.kill()
    const seen = (await echo.next()) as unknown as { sent: number; times: number[] }
    expect(seen.times).toHaveLength(seen.sent)
    await until('its helpers are gone', () => host.helpers().length === 0, 3000)
    await isNormal()
    await comeBack()
  })

  it('when the agent and its helpers are killed at once', async () => {
    await startDelay()
    await isDelayed()
    // Frozen it sees nothing of what becomes of them, and they live: at once, however busy the machine is.
    host.child.kill('SIGSTOP')
    for (const { pid } of host.helpers()) process.kill(pid, 'SIGKILL')
    await host.kill()
    await isNormal()
    await comeBack()
    expect(host.helpers()).toEqual([])
  })

  it('when the agent is frozen, within 15 s, and it says so when it wakes up', async () => {
    await startDelay()
    host.child.kill('SIGSTOP')
    const at = performance.now()
    await until('it is normal', async () => (await measure.connects(pair.chosen, 3)) < 50, 15_000)
    expect(performance.now() - at).toBeLessThan(15_000)
    host.child.kill('SIGCONT')
    expect(await host.ended(id)).toMatchObject({ reason: 'agent_frozen' })
  })

  it.each(['delay-queue', 'observer'])('when the %s is killed, and it says so', async (program) => {
    await startDelay()
    await isDelayed()
    process.kill((await helper(program)).pid, 'SIGKILL')
    const end = await host.ended(id)
    expect(end).toMatchObject({ reason: 'fault_died' })
    expect(end.message).toMatch(/^The (delay queue|network observer) ended early: SIGKILL/)
    await isNormal()
  })

  it('when somebody removes its rules, and it says so', async () => {
    await startDelay()
    await isDelayed()
    await runInside(pair.path, 'nft', 'delete', 'table', 'inet', await tableOfAttack())
    await isNormal()
    const end = await host.ended(id)
    expect(end).toMatchObject({ reason: 'fault_died' })
    expect(end.message).toContain('Somebody removed the nft table')
  })
})

async function tableOfAttack(): Promise<string> {
  const tables = await runInside(pair.path, 'nft', 'list', 'tables')
  return /temblor_latency_\w+/.exec(tables)?.[0] ?? ''
}
