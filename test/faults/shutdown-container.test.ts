import { fileURLToPath } from 'node:url'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DockerEngine } from '../../agent/containers/docker.ts'
import type { ContainerState } from '../../agent/containers/source.ts'
import type { ContainerTarget, FaultContext } from '../../agent/faults/fault.ts'
import { createShutdown } from '../../agent/faults/shutdown.ts'
import type { Report } from '../../agent/journal.ts'
import type { AttackParams } from '../../shared/attacks/index.ts'
import {
  docker,
  dockerSkipReason,
  needsDocker,
  targetContainers,
  type TargetContainer,
  type TargetContainers,
} from '../support/docker.ts'
import { recordedPower } from '../support/recorded-power.ts'
import { until } from '../support/until.ts'
import { executorRig, type ExecutorRig } from './executor-rig.ts'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

describe('shutdown of a container', () => {
  needsDocker()
  let rig: ExecutorRig
  let targets: TargetContainers
  let bystander: TargetContainer
  let bystanderBefore: unknown
  beforeAll(async () => {
    if (dockerSkipReason) return
    targets = await targetContainers()
    rig = await executorRig()
    bystander = await targets.start({ app: 'other' })
    bystanderBefore = await stateOf(bystander)
  })
  afterAll(async () => {
    await rig?.[Symbol.asyncDispose]()
    await targets?.[Symbol.asyncDispose]()
  })

  /** A container whose policy is this; without a signal handler its first process ignores SIGTERM. */
  const startWith = async (policy: 'no' | 'always' | 'on-failure', labels = {}) => {
    const target = await targets.start(labels)
    await target.container.update({ RestartPolicy: { Name: policy } })
    return target
  }

  // Most of the time passes while Docker waits for a process that ignores SIGTERM.
  describe.each(['no', 'always'] as const)(
    'with the restart policy %s',
    { concurrent: true },
    (policy) => {
      it('stops it, and it stays down', async () => {
        const target = await startWith(policy)
        const report = await shutDown(rig, {}, target)
        expect(report).toMatchObject({
          reason: 'completed',
          backend: 'Docker Engine, stop',
          requested: { metric: 'shutdown', value: 1, unit: 'times' },
          measured: { metric: 'shutdown', value: 1, detail: { came_back: 0, restarts: 0 } },
        })
        expect(report.message).toContain('was stopped (exit code 137) and stays down')
        expect(await stateOf(target)).toMatchObject({ running: false, restarts: 0 })
      })

      it('restarts it (-r): another start, not counted as one of its policy', async () => {
        const target = await startWith(policy)
        const before = await stateOf(target)
        const report = await shutDown(rig, { reboot: true }, target)
        const after = await stateOf(target)
        expect(report).toMatchObject({
          reason: 'completed',
          measured: { detail: { came_back: 1 } },
        })
        expect(report.message).toContain(`Started ${before.startedAt} before`)
        expect(report.message).toContain(`${after.startedAt} after`)
        expect(after).toMatchObject({ running: true, restarts: 0 })
        expect(after.startedAt).not.toBe(before.startedAt)
      })
    },
  )

  it('a crash has the policy "always" start it again (and a stop does not)', async () => {
    const target = await startWith('always')
    const before = await stateOf(target)
    const report = await shutDown(rig, { crash: true }, target)
    const after = await stateOf(target)
    expect(report).toMatchObject({
      reason: 'completed',
      backend: 'SIGKILL from the host',
      measured: { value: 1, detail: { came_back: 1, restarts: 1 } },
    })
    expect(report.message).toContain('restart policy "always" started it again')
    expect(report.message).toContain('0 restarts by policy before, 1 after')
    expect(after).toMatchObject({ running: true, restarts: 1 })
    expect(after.startedAt).not.toBe(before.startedAt)
  })

  it('a crash without a policy leaves it down, and says which policy it has', async () => {
    const target = await startWith('no')
    const report = await shutDown(rig, { crash: true }, target)
    expect(report).toMatchObject({ reason: 'completed', measured: { detail: { came_back: 0 } } })
    expect(report.message).toContain('stays down: its restart policy "no"')
    expect(await stateOf(target)).toMatchObject({ running: false, exitCode: 137 })
  })

  it('a halt during the delay prevents it', async () => {
    const target = await startWith('no')
    const before = await stateOf(target)
    const id = await rig.attack('shutdown', { delayMinutes: 1 }, target)
    const running = await rig.running(id)
    expect(running.message).toContain('is stopped in 1 min, unless the attack is halted')
    rig.executor.halt(id, 2, '')
    expect(await rig.ended(id)).toMatchObject({ reason: 'halted' })
    expect(await stateOf(target)).toEqual(before)
  })

  it('is the end of the execution: it is not followed, and nothing is left to undo', async () => {
    const target = await startWith('no')
    const id = await rig.attack('shutdown', { delayMinutes: 0, reboot: true }, target)
    await rig.ended(id)
    const stages = rig.updates.filter((one) => one.executionId === id).map((one) => one.stage)
    expect(stages).toEqual(['Initializing', 'Running', 'TearingDown', 'Successful'])
    expect(rig.journal.get(id)).toMatchObject({ state: 'DONE', undo: [] })
  })

  it('refuses a container that is not there or does not run', async () => {
    const removed = await startWith('no')
    await removed.container.remove({ force: true })
    expect(await shutDown(rig, {}, removed)).toMatchObject({ reason: 'target_not_found' })
    const stopped = await startWith('no')
    await stopped.container.stop({ t: 0 })
    expect(await shutDown(rig, {}, stopped)).toMatchObject({ reason: 'target_not_found' })
  })

  it('says so when the container went away by itself during the delay', async () => {
    const engine = new DockerEngine('/var/run/docker.sock')
    const fault = createShutdown({ power: recordedPower(), containers: engine })
    const context = { remainingMs: 0 } as FaultContext
    for (const way of ['stop', 'remove'] as const) {
      const running = await startWith('no')
      const { target } = (await engine.resolve(running.id)) as ContainerState
      const params = { delayMinutes: 1, reboot: true, crash: false, allowControllerHost: false }
      const prepared = await fault.prepare(params, target as ContainerTarget, context)
      const handle = await prepared.start()
      if (way === 'stop') await running.container.stop({ t: 0 })
      else await running.container.remove({ force: true })
      expect(await handle.strike?.()).toMatchObject({ reason: 'target_gone' })
      // It was not started instead.
      expect((await engine.inspect(running.id))?.running ?? false).toBe(false)
    }
  })

  it('refuses a container that its owner protects, and what its owner forbids', async () => {
    const target = await startWith('no', { 'temblor.protect': 'true' })
    expect(await shutDown(rig, {}, target)).toMatchObject({ reason: 'forbidden_by_owner' })
    expect(await stateOf(target)).toMatchObject({ running: true })
    await using strict = await executorRig({ limits: { shutdownForbidden: true } })
    const open = await startWith('no')
    const report = await shutDown(strict, {}, open)
    expect(report).toMatchObject({ reason: 'forbidden_by_owner' })
    expect(report.message).toContain('TEMBLOR_FORBID_SHUTDOWN')
    expect(await stateOf(open)).toMatchObject({ running: true })
  })

  it('never takes down the container in which the agent lives, but others from there', async () => {
    const home = await startHome(targets.run)
    try {
      const refused = await runInside(home.id, home.id)
      expect(refused).toMatchObject({ reason: 'unsupported' })
      expect(refused.message).toContain('The agent itself runs in the container')
      expect((await docker.getContainer(home.id).inspect()).State.Running).toBe(true)
      const other = await startWith('no')
      expect(await runInside(home.id, other.id)).toMatchObject({ reason: 'completed' })
      expect(await stateOf(other)).toMatchObject({ running: false })
    } finally {
      await docker.getContainer(home.id).remove({ force: true })
    }
  })

  it('has left the bystander alone all the time', async () => {
    expect(await stateOf(bystander)).toEqual(bystanderBefore)
  })
})

/** Shuts a container down without delay and waits for the end. */
async function shutDown(
  rig: ExecutorRig,
  params: AttackParams,
  target: { id: string; name: string },
): Promise<Report> {
  return await rig.ended(await rig.attack('shutdown', { delayMinutes: 0, ...params }, target))
}

async function stateOf({ container }: Pick<TargetContainer, 'container'>) {
  const { State: state, RestartCount: restarts } = await container.inspect()
  const { Running: running, StartedAt: startedAt, ExitCode: exitCode, Pid: pid } = state
  return { running, startedAt, exitCode, pid, restarts }
}

/** A container in which an agent could live: the host's programs, processes and engine are there. */
async function startHome(run: string): Promise<{ id: string }> {
  const readable = ['/usr', '/lib', '/lib64', root].map((path) => `${path}:${path}:ro`)
  const container = await docker.createContainer({
    Image: 'temblor-test/target:1',
    Cmd: ['/bin/sleep', '3600'],
    Labels: { 'temblor.test': run },
    HostConfig: {
      NetworkMode: 'none',
      PidMode: 'host',
      CapAdd: ['SYS_PTRACE', 'KILL'],
      SecurityOpt: ['apparmor=unconfined'],
      Tmpfs: { '/tmp': '' },
      Binds: [...readable, '/var/run/docker.sock:/var/run/docker.sock'],
    },
  })
  await container.start()
  await until('the home runs', async () => (await container.inspect()).State.Running)
  return { id: container.id }
}

/** Has an executor inside of `home` stop a container. */
async function runInside(home: string, target: string): Promise<Report> {
  const program = [process.execPath, 'test/faults/own-container.ts', target]
  const exec = await docker.getContainer(home).exec({
    Cmd: program,
    WorkingDir: root,
    AttachStdout: true,
    AttachStderr: true,
    Tty: true,
  })
  const output = await text(await exec.start({ Tty: true }))
  const line = output.split('\n').find((one) => one.startsWith('{'))
  if (line === undefined) throw new Error(`The agent said: ${output}`)
  return JSON.parse(line) as Report
}
