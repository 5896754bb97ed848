import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ControllerMessage } from '../proto/gen/temblor/agent/v1/ControllerMessage.ts'
import { startFirstController, type FirstController } from '../test/support/first-controller.ts'
import { idleFault } from '../test/support/idle-fault.ts'
import type { ContainerSource } from './containers/source.ts'
import { ControllerLink } from './controller-link.ts'
import { enrol, obtainCredentials, obtainWhenAdmitted } from './enrol.ts'
import { Executor } from './executor.ts'
import { readInstanceId } from './identity.ts'
import { Journal } from './journal.ts'
import { noLimits } from './owner-limits.ts'

const cleanUp: (() => void | Promise<void>)[] = []
let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'temblor-link-'))
})
afterEach(async () => {
  for (const clean of cleanUp.splice(0).toReversed()) await clean()
  rmSync(stateDir, { recursive: true, force: true })
})

async function startController(options?: { sentAway: number }): Promise<FirstController> {
  const controller = await startFirstController(options)
  cleanUp.push(() => controller.die())
  return controller
}

async function startLink(controller: FirstController) {
  const instanceId = readInstanceId(stateDir)
  const credentials = await obtainCredentials(stateDir, instanceId, controller.join)
  const journal = new Journal(stateDir)
  let link: ControllerLink | undefined
  const executor = new Executor({
    journal,
    faults: { cpu: idleFault, latency: idleFault, blackhole: idleFault, shutdown: idleFault },
    controlPlane: () => Promise.resolve([]),
    containers: {} as ContainerSource,
    limits: noLimits,
    instanceId,
    bootId: 'boot',
    onUpdate: (update) => link?.report(update),
  })
  link = new ControllerLink({
    executor,
    journal,
    log: pino({ level: 'silent' }),
    identifier: 'host',
    instanceId,
    bootId: 'boot',
    stateDir,
    credentials,
    inventory: () => ({ tags: { zone: 'a' } }),
    onReady: () => undefined,
  })
  const over = link.run()
  const opened = link
  cleanUp.push(async () => {
    controller.acknowledgeAll()
    await executor.close('The test is over.')
    await opened.close('test over')
  })
  return { link, over, executor, journal }
}

function runMessage(executionId: string, change: object = {}): ControllerMessage {
  const params = { lengthSeconds: 600, cores: 1, allCores: false, percent: 5 }
  const ids = { executionId, generation: 1, attackId: randomUUID(), attackType: 'cpu' }
  const times = { startWithinMs: 10_000, heartbeatSeen: 0 }
  return { run: { ...ids, paramsJson: JSON.stringify(params), ...times, ...change } }
}

function shutdownMessage(allowControllerHost: boolean): ControllerMessage {
  const params = { delayMinutes: 1, reboot: true, crash: false, allowControllerHost }
  const change = { attackType: 'shutdown', paramsJson: JSON.stringify(params) }
  return runMessage(randomUUID(), change)
}

describe('joining', () => {
  it('keeps the certificate, not the secret, and does not enrol again', async () => {
    const controller = await startController()
    const instanceId = readInstanceId(stateDir)
    const first = await obtainCredentials(stateDir, instanceId, controller.join)
    expect(await obtainCredentials(stateDir, instanceId, controller.join)).toEqual(first)
    expect(await obtainCredentials(stateDir, instanceId, undefined)).toEqual(first)
    expect(controller.enrolments).toHaveLength(1)
    expect(readFileSync(join(stateDir, 'credentials.json'), 'utf8')).not.toContain(
      controller.join.secret,
    )
  })

  it('comes back when it is told to, and not sooner', async () => {
    const controller = await startController({ sentAway: 2 })
    const said: string[] = []
    const startedMs = performance.now()
    await obtainWhenAdmitted(stateDir, randomUUID(), controller.join, (text) => said.push(text))
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(500)
    expect(said).toEqual(Array(2).fill(expect.stringMatching(/Asking again in 1 s/)))
    expect(controller.enrolments).toHaveLength(3)
  })

  it('sends nothing to a controller with another authority', async () => {
    const controller = await startController()
    const line = { ...controller.join, caSha256: 'a'.repeat(64) }
    await expect(enrol(stateDir, randomUUID(), line)).rejects.toThrow(/Nothing was sent to it/)
    expect(controller.enrolments).toEqual([])
  })

  it('says when the secret is wrong, and when nobody is there', async () => {
    const controller = await startController()
    const wrong = { ...controller.join, secret: 'other' }
    await expect(enrol(stateDir, randomUUID(), wrong)).rejects.toThrow(/wrong secret/)
    const nobody = { ...controller.join, address: '127.0.0.1:1' }
    await expect(enrol(stateDir, randomUUID(), nobody)).rejects.toThrow(/No controller answers/)
    await expect(obtainCredentials(stateDir, randomUUID(), undefined)).rejects.toThrow(/join line/)
  })
})

describe('a session', () => {
  it('acknowledges an order once it is on disk, runs it and names it in heartbeats', async () => {
    const controller = await startController()
    const { journal } = await startLink(controller)
    const { hello } = await controller.heard(0, (message) => message.hello)
    expect(hello).toMatchObject({ identifier: 'host', inventory: { tags: { zone: 'a' } } })
    const id = randomUUID()
    controller.sessions[0]?.stream.write(runMessage(id))
    await controller.heard(0, ({ commandAck }) => commandAck?.executionId === id)
    expect(journal.get(id)).toBeDefined()
    await controller.heard(0, ({ executionUpdate }) => executionUpdate?.stage === 'Running')
    await controller.heard(0, ({ heartbeat }) => heartbeat?.running[0]?.executionId === id)
  })

  it('refuses an order for good that it cannot put on disk', async () => {
    const controller = await startController()
    const { executor } = await startLink(controller)
    await controller.heard(0, (message) => message.hello)
    const [journal, aside] = [join(stateDir, 'journal'), join(stateDir, 'aside')]
    renameSync(journal, aside)
    const run = runMessage(randomUUID())
    controller.sessions[0]?.stream.write(run)
    const { executionUpdate } = await controller.heard(0, (message) => message.executionUpdate)
    expect(executionUpdate).toMatchObject({ stage: 'InitializationFailed', reason: 'start_failed' })
    // It would come again at each heartbeat, and be begun by whoever is here then.
    await controller.heard(0, ({ commandAck }) => commandAck?.executionId === run.run?.executionId)
    renameSync(aside, journal)
    controller.sessions[0]?.stream.write(run)
    const next = runMessage(randomUUID())
    controller.sessions[0]?.stream.write(next)
    await controller.heard(0, ({ commandAck }) => commandAck?.executionId === next.run?.executionId)
    const ids = executor.running.map(({ executionId }) => executionId)
    expect(ids).toEqual([next.run?.executionId])
  })

  it('sends the end again in the next session, until it is acknowledged', async () => {
    const controller = await startController()
    const { journal } = await startLink(controller)
    const id = randomUUID()
    await controller.heard(0, (message) => message.hello)
    const attackId = randomUUID()
    controller.sessions[0]?.stream.write({ halt: { executionId: id, generation: 2, attackId } })
    await controller.heard(0, ({ executionUpdate }) => executionUpdate?.stage === 'UserHalted')
    controller.sessions[0]?.stream.end()
    const { hello } = await controller.heard(1, (message) => message.hello)
    expect(hello?.knownExecutions).toMatchObject([{ executionId: id }])
    const { executionUpdate } = await controller.heard(1, (message) => message.executionUpdate)
    const seq = executionUpdate?.seq ?? 0
    controller.sessions[1]?.stream.write({ updateAck: { executionId: id, seq } })
    controller.sessions[1]?.stream.write(runMessage(id))
    await controller.heard(1, ({ commandAck }) => commandAck?.generation === 1)
    expect(journal.get(id)).toMatchObject({ acknowledged: true, state: 'DONE' })
  })

  it('knows from the welcome that its controller is on the same host, and spares it', async () => {
    const controller = await startController()
    await startLink(controller)
    await controller.heard(0, (message) => message.hello)
    controller.sessions[0]?.stream.write(shutdownMessage(false))
    const refused = await controller.heard(0, ({ executionUpdate }) => executionUpdate?.reason)
    expect(refused.executionUpdate).toMatchObject({ reason: 'controller_host' })
    controller.sessions[0]?.stream.write(shutdownMessage(true))
    await controller.heard(0, ({ executionUpdate }) => executionUpdate?.stage === 'Running')
  })

  it('does not start an order that is too old', async () => {
    const controller = await startController()
    await startLink(controller)
    await controller.heard(0, ({ heartbeat }) => (heartbeat?.seq ?? 0) >= 4)
    const id = randomUUID()
    controller.sessions[0]?.stream.write(runMessage(id, { startWithinMs: 1 }))
    const { executionUpdate } = await controller.heard(0, (message) => message.executionUpdate)
    expect(executionUpdate).toMatchObject({
      stage: 'ClientAborted',
      reason: 'expired_before_start',
    })
  })

  it('ends what it runs when the controller is silent for too long', async () => {
    const controller = await startController()
    await startLink(controller)
    await controller.heard(0, (message) => message.hello)
    controller.sessions[0]?.stream.write(runMessage(randomUUID()))
    const { executionUpdate } = await controller.heard(
      0,
      (message) => message.executionUpdate?.reason,
    )
    expect(executionUpdate).toMatchObject({ stage: 'ClientAborted', reason: 'controller_lost' })
  })

  it('connects anew when a session answers nothing any more, and says there what has ended', async () => {
    const controller = await startController()
    await startLink(controller)
    const executionId = randomUUID()
    await controller.heard(0, (message) => message.hello)
    controller.sessions[0]?.stream.write(runMessage(executionId))
    await controller.heard(0, ({ executionUpdate }) => executionUpdate?.reason)
    const { hello } = await controller.heard(1, (message) => message.hello)
    expect(hello?.knownExecutions).toMatchObject([{ executionId }])
    await controller.heard(1, ({ executionUpdate }) => executionUpdate?.reason)
  })

  it('waits no longer than it was told for a controller that is gone', async () => {
    const controller = await startController()
    const { journal } = await startLink(controller)
    await controller.heard(0, (message) => message.hello)
    const executionId = randomUUID()
    controller.sessions[0]?.stream.write(runMessage(executionId))
    await controller.heard(0, ({ executionUpdate }) => executionUpdate?.stage === 'Running')
    controller.die()
    await expect
      .poll(() => journal.get(executionId)?.report, { timeout: 10_000 })
      .toMatchObject({ reason: 'controller_lost' })
  })

  it('ends for good when it is refused for good', async () => {
    const controller = await startController()
    const { over } = await startLink(controller)
    await controller.heard(0, (message) => message.hello)
    const refusal = { code: 'revoked', message: 'This host is revoked.', final: true }
    controller.sessions[0]?.stream.write({ refusal })
    expect(await over).toMatchObject(refusal)
  })

  it('tells of an attack that was started on the host before anything about it', async () => {
    const controller = await startController()
    const { executor } = await startLink(controller)
    await controller.heard(0, ({ heartbeat }) => heartbeat)
    const { run } = runMessage(randomUUID())
    const { executionId = '', attackId = '', paramsJson = '' } = run ?? {}
    const params: unknown = JSON.parse(paramsJson)
    const order = { executionId, attackId, generation: 1, attackType: 'cpu', params, local: true }
    await executor.run(order)
    await controller.heard(0, ({ executionUpdate }) => executionUpdate?.stage === 'Running')
    const kinds = controller.sessions[0]?.heard.map(({ message }) => message)
    expect(kinds?.indexOf('manualAttack')).toBeLessThan(kinds?.indexOf('executionUpdate') ?? 0)
    const { manualAttack } = await controller.heard(0, (message) => message.manualAttack)
    expect(manualAttack).toMatchObject({ attackType: 'cpu', lengthMs: 600_000 })
  })
})
