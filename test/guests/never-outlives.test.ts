import { describe, expect, test } from 'vitest'
import type { AttackTypeName } from '../../shared/attacks/index.ts'
import type { Execution } from '../../shared/api/records.ts'
import type { EndReason } from '../../shared/stages.ts'
import { startGuest } from '../support/guest/guest.ts'
import { installAgent, untilInTeam } from '../support/guest/installed.ts'
import { shared } from '../support/guest/shared.ts'
import { compareStates, expectSameState } from '../support/host-state.ts'
import { startService } from '../support/service.ts'
import {
  answers,
  delayMs,
  peers,
  reloadRules,
  secondsUntilNormal,
  setUpOwner,
  sleptSeconds,
  stateOf,
  suspend,
  untilOwnNetwork,
} from './attacked-host.ts'

const unit = 'temblor-agent.service'
/** After whatever happens, this much later nothing of a fault may be felt. */
const normalWithinSeconds = 15
/** A silent controller counts as lost after this; 30 s by default, which the test need not wait for. */
const controllerLostMs = 10_000
/** An emulated agent takes its time to start, to report, to be back. */
const slowMs = 120_000
/** Longer than any test: what ends then has another reason. */
const longSeconds = 600

const commands = {
  latency: `-m ${delayMs} -i ${peers.delayed}`,
  blackhole: `-i ${peers.cut}`,
  cpu: '-c 1 -p 10',
} satisfies Partial<Record<AttackTypeName, string>>

type Ids = Record<keyof typeof commands, string>

describe('latency, blackhole and cpu at once on a real host', () => {
  const rig = shared(async (own) => {
    const [service, guest] = await Promise.all([
      startService({
        TEMBLOR_ALLOW_ATTACKS: 'none',
        TEMBLOR_FORBID_SHUTDOWN: 'yes',
        TEMBLOR_HEARTBEAT_MS: '3000',
        TEMBLOR_DEAD_MAN_MS: String(controllerLostMs),
      }).then((one) => own.use(one)),
      // The other clock of the emulated machine stands still once it was suspended.
      startGuest({ name: 'web-1', kernelArgs: ['tsc=reliable'] }).then((one) => own.use(one)),
    ])
    await setUpOwner(guest)
    await installAgent(guest, service)
    return { service, owner: service.owner, guest, before: await stateOf(guest) }
  })

  async function start(type: keyof typeof commands, lengthSeconds: number): Promise<Execution> {
    const { owner, guest } = rig()
    const id = await owner.attack({
      command: { type, args: `-l ${lengthSeconds} ${commands[type]}`.split(' ') },
      target: { type: 'Exact', exact: [guest.name] },
    })
    const [execution] = await owner.running(id, slowMs)
    return execution as Execution
  }

  /** The longest that all three have taken until each was felt. */
  let slowestStartSeconds = 0

  /** Starts all three; resolves with their ids when each is felt, and only where it should be. */
  async function attack(lengthSeconds = longSeconds): Promise<Ids> {
    const { guest, owner } = rig()
    await untilInTeam(owner, guest)
    const startedAt = performance.now()
    // The load first: its start takes all that an emulated processor has.
    const cpu = await start('cpu', lengthSeconds)
    const [latency, blackhole] = await Promise.all([
      start('latency', lengthSeconds),
      start('blackhole', lengthSeconds),
    ])
    expect(latency.backend).toContain('netem')
    const felt = [answers(guest, 'delayed'), answers(guest, 'cut'), answers(guest, 'own')]
    expect(await Promise.all(felt)).toEqual([false, false, true])
    expect((await guest.run(['pgrep', '-f', 'cpu-burner'])).code).toBe(0)
    slowestStartSeconds = Math.max(slowestStartSeconds, (performance.now() - startedAt) / 1000)
    return { latency: latency.task_id, blackhole: blackhole.task_id, cpu: cpu.task_id }
  }

  /** Waits until all are over. */
  async function finished(ids: Partial<Ids>): Promise<Execution[]> {
    return (
      await Promise.all(Object.values(ids).map((id) => rig().owner.finished(id, slowMs)))
    ).flat()
  }

  const expectNormal = async (withinSeconds = normalWithinSeconds) =>
    expect(await secondsUntilNormal(rig().guest, 3 * withinSeconds)).toBeLessThan(withinSeconds)
  const expectSame = async () => expectSameState(rig().before, await stateOf(rig().guest))
  const agentPid = async () =>
    (await rig().guest.ok(['systemctl', 'show', '--value', '-p', 'MainPID', unit])).trim()

  test('are gone when the agent is killed', async () => {
    const { guest } = rig()
    const ids = await attack()
    // What is the owner's is as it was, also while they are there.
    const changes = compareStates(rig().before, await stateOf(guest))
    expect(changes.filter((line) => line.startsWith('- '))).toEqual([])
    expect(changes.join('\n')).toContain('qdisc netem')
    await guest.ok(['kill', '-KILL', await agentPid()])
    await expectNormal()
    expect(reasonsOf(await finished(ids))).toEqual(allEndedBy('agent_restarted'))
    await expectSame()
  })

  test('are gone while the agent is frozen', async () => {
    const { guest } = rig()
    const ids = await attack()
    const pid = await agentPid()
    await guest.ok(['kill', '-STOP', pid])
    await expectNormal()
    await guest.ok(['kill', '-CONT', pid])
    expect(reasonsOf(await finished(ids))).toEqual(allEndedBy('agent_frozen'))
    await expectSame()
  })

  test('are gone when the controller is cut off', async () => {
    const { service } = rig()
    const ids = await attack()
    const { pid } = service.part('controller')
    try {
      process.kill(pid, 'SIGSTOP')
      await expectNormal(controllerLostMs / 1000 + normalWithinSeconds)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    expect(reasonsOf(await finished(ids))).toEqual(allEndedBy('controller_lost'))
    await expectSame()
  })

  test('are gone when the host wakes up, and it stays up', async () => {
    const { guest, owner } = rig()
    await untilInTeam(owner, guest)
    const bootId = await guest.bootId()
    const { task_id: blackhole } = await start('blackhole', longSeconds)
    const shutdown = await owner.attack({
      command: { type: 'shutdown', args: ['-d', '1'] },
      target: { type: 'Exact', exact: [guest.name] },
    })
    await owner.running(shutdown, slowMs)
    expect(await answers(guest, 'cut')).toBe(false)
    const sleptBefore = await sleptSeconds(guest)
    await suspend(guest, 6)
    const [cut, down] = [await owner.finished(blackhole, slowMs), await owner.finished(shutdown)]
    await expectNormal()
    expect([...cut, ...down].map(({ reason }) => reason)).toEqual(['agent_frozen', 'agent_frozen'])
    const slept = (await sleptSeconds(guest)) - sleptBefore
    const [, said] = /The machine was suspended for (\d+) s/.exec(down[0]?.output ?? '') ?? []
    expect(Math.abs(Number(said) - slept)).toBeLessThan(1)
    expect(await guest.bootId()).toBe(bootId)
    await expectSame()
  })

  test('end on time although the clock is set back and forth by a day', async () => {
    const { guest } = rig()
    // The first must not be over before the last is felt.
    const lengthSeconds = Math.max(30, Math.ceil(2 * slowestStartSeconds))
    const startedAt = performance.now()
    const ids = await attack(lengthSeconds)
    const inForceAt = performance.now()
    for (const step of ['-1 day', '+2 days']) await guest.ok(['date', '-s', step])
    try {
      await secondsUntilNormal(guest, lengthSeconds + normalWithinSeconds)
      const endedAt = performance.now()
      expect(endedAt - inForceAt).toBeLessThan((lengthSeconds + normalWithinSeconds) * 1000)
      expect(endedAt - startedAt).toBeGreaterThan(lengthSeconds * 1000)
      const rows = await finished(ids)
      expect(reasonsOf(rows)).toEqual(allEndedBy('completed'))
      const lost = rows.find((row) => row.command_type === 'blackhole')?.measured
      expect(lost).toMatchObject({ metric: 'dropped', value: 100 })
    } finally {
      await guest.ok(['date', '-s', '-1 day'])
    }
    await expectSame()
  })

  test('have an end and leave nothing when somebody flushes all rules of nft', async () => {
    const { guest, owner } = rig()
    const ids = await attack()
    await guest.ok(['nft', 'flush', 'ruleset'])
    expect(await answers(guest, 'delayed')).toBe(true)
    expect(await answers(guest, 'cut')).toBe(true)
    await reloadRules(guest)
    // The load has nothing to do with it.
    const { cpu, ...network } = ids
    const rows = await finished(network)
    expect(reasonsOf(rows)).toEqual({ latency: 'fault_died', blackhole: 'fault_died' })
    for (const { output } of rows) expect(output).toContain('Somebody removed the nft table')
    expect((await owner.executions(cpu))[0]?.stage).toBe('Running')
    await owner.halt(cpu)
    await finished({ cpu })
    await expectNormal()
    await expectSame()
  })

  test('are gone when the host reboots in the middle', async () => {
    const { guest, owner } = rig()
    const ids = await attack()
    const bootId = await guest.bootId()
    await guest.order('reboot')
    await guest.untilRebooted(bootId)
    await untilOwnNetwork(guest)
    await expectNormal()
    expect(reasonsOf(await finished(ids))).toEqual(allEndedBy('agent_stopped'))
    await untilInTeam(owner, guest, bootId)
    await expectSame()
  })

  test('are gone when the host loses its power in the middle', async () => {
    const { guest, owner } = rig()
    const ids = await attack()
    const bootId = await guest.bootId()
    await guest.kill()
    await guest.start()
    await untilOwnNetwork(guest)
    await expectNormal()
    const rows = await finished(ids)
    expect(reasonsOf(rows)).toEqual(allEndedBy('agent_restarted'))
    for (const { output } of rows) expect(output).toContain('The host was restarted')
    await untilInTeam(owner, guest, bootId)
    await expectSame()
  })
})

const reasonsOf = (rows: readonly Execution[]) =>
  Object.fromEntries(rows.map((row) => [row.command_type, row.reason]))
const allEndedBy = (reason: EndReason) => ({ latency: reason, blackhole: reason, cpu: reason })
