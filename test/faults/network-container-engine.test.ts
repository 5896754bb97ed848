import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { dockerSkipReason } from '../support/docker.ts'
import { until } from '../support/until.ts'
import { executorRig, type ExecutorRig } from './executor-rig.ts'
import { refuseHelpers, runInside, stateOf } from './latency-rig.ts'
import { networkContainer } from './network-containers.ts'
import { privateEngine } from './private-engine.ts'

const run = promisify(execFile)
const both = ['latency', 'blackhole'] as const

/** A network for a container of an engine that has none: a cable whose other end is in a namespace. */
async function cable(pid: number): Promise<AsyncDisposable> {
  const name = `temblor-cable-${process.pid}`
  await run('ip', ['netns', 'add', name])
  const ends = ['eth0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)]
  await run('ip', ['-n', name, 'link', 'add', ...ends])
  const path = `/proc/${pid}/ns/net`
  await run('ip', ['-n', name, 'link', 'set', 'eth0', 'up'])
  await runInside(path, 'ip', 'address', 'add', '10.98.0.1/24', 'dev', 'eth0')
  await runInside(path, 'ip', 'link', 'set', 'eth0', 'up')
  await until('the cable carries', async () =>
    (await runInside(path, 'ip', 'link', 'show', 'eth0')).includes('state UP'),
  )
  return {
    async [Symbol.asyncDispose]() {
      await run('ip', ['netns', 'delete', name])
    },
  }
}

/** How an execution ends, and in how many ms from now; the engine may take longer to start. */
async function endOf(rig: ExecutorRig, id: string) {
  const at = performance.now()
  const report = await rig.ended(id)
  return { report, tookMs: performance.now() - at }
}

describe.skipIf(dockerSkipReason !== undefined)('when the engine restarts', () => {
  it.each(both)('%s of a container that lives on ends in time, without a trace', async (type) => {
    await using engine = await privateEngine(true)
    await using target = await networkContainer('none', {}, engine.docker)
    const { pid } = await target.now()
    await using _cable = await cable(pid)
    const path = `/proc/${pid}/ns/net`
    const before = await stateOf(path)
    const instanceId = randomUUID()
    await using rig = await executorRig({ engineSocket: engine.socket, instanceId })
    const id = await rig.attack(type, { lengthSeconds: 6 }, target)
    await rig.running(id)
    const over = endOf(rig, id)
    await engine.stop()
    await engine.start()
    const { report, tookMs } = await over
    expect(report).toMatchObject({ reason: 'completed' })
    expect(tookMs).toBeLessThan(8000)
    expect((await target.now()).pid).toBe(pid)
    expect(await stateOf(path)).toBe(before)
    refuseHelpers(instanceId)
  })

  it('latency of a container that it takes along ends in time', async () => {
    await using engine = await privateEngine(false)
    await using target = await networkContainer('none', {}, engine.docker)
    await using _cable = await cable((await target.now()).pid)
    const instanceId = randomUUID()
    await using rig = await executorRig({ engineSocket: engine.socket, instanceId })
    const id = await rig.attack('latency', { lengthSeconds: 8 }, target)
    await rig.running(id)
    const over = endOf(rig, id)
    await engine.stop()
    await engine.start()
    const { report, tookMs } = await over
    expect(report).toMatchObject({ reason: 'target_gone' })
    expect(tookMs).toBeLessThan(10_000)
    refuseHelpers(instanceId)
  })
})
