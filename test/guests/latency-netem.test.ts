import { afterEach, describe, expect, test } from 'vitest'
import type { Effect } from '../../shared/effect.ts'
import type { AttackRequest } from '../support/api.ts'
import { startGuest } from '../support/guest/guest.ts'
import { installAgent, startGuestService, untilInTeam } from '../support/guest/installed.ts'
import type { RoundTrips } from '../support/guest/probe-process.ts'
import { startProbe, type Probe } from '../support/guest/probe.ts'
import { shared } from '../support/guest/shared.ts'
import { captureGuest, putStateProgram } from '../support/guest/state.ts'
import { expectSameState } from '../support/host-state.ts'
import { apiPollMs, until } from '../support/until.ts'
import { layUppers, layWires, peer, peer6, pings, removeUppers, upperPeer } from './wires.ts'

const delayMs = 100
/** Where a process holds the packets, which has to wait for an emulated processor as others do. */
const queuedMs = 500
/** What a delay may be off, beside what the emulated machine takes for itself. */
const accuracyMs = 3
const chosen = [0, 1, 2, 3].flatMap((wire) => [peer(wire), peer6(wire)])
const slowMs = 90_000
const captured = { folders: ['/etc'] }

describe('latency by netem on a real host', () => {
  const rig = shared(async (own) => {
    const [service, guest] = await Promise.all([
      startGuestService().then((one) => own.use(one)),
      startGuest({ name: 'web-1', memoryMb: 1024 }).then((one) => own.use(one)),
    ])
    await layWires(guest)
    await putStateProgram(guest)
    const devices = await guest.ok(['ip', '-br', 'link'])
    await installAgent(guest, service)
    const hasIfb = (await guest.run(['test', '-d', '/sys/module/ifb'])).code === 0
    const far = own.use(await startProbe(guest, ['ip', 'netns', 'exec', 'far']))
    await far.serve(9000)
    const host = own.use(await startProbe(guest))
    return { guest, owner: service.owner, devices, host, hasIfb }
  })

  const latency = (...args: readonly string[]): AttackRequest => ({
    command: { type: 'latency', args },
    target: { type: 'Exact', exact: [rig().guest.name] },
  })
  const started = new Set<string>()
  // What a failed test has left does not fail the others.
  afterEach(async () => {
    for (const id of started) await halt(id)
  })
  const inForce = async (...args: readonly string[]) => {
    const id = await rig().owner.attack(latency('-l', '600', ...args))
    started.add(id)
    const [execution] = await rig().owner.running(id, slowMs)
    return { id, backend: execution?.backend }
  }
  const refused = async (...args: readonly string[]) => {
    const id = await rig().owner.attack(latency('-l', '600', ...args))
    const [execution] = await rig().owner.finished(id, slowMs)
    expect(execution).toMatchObject({ stage: 'InitializationFailed' })
    return execution?.output
  }
  const halt = async (id: string) => {
    await rig().owner.halt(id)
    const [execution] = await rig().owner.finished(id, slowMs)
    started.delete(id)
    expect(execution).toMatchObject({ stage: 'UserHalted' })
    return execution?.measured
  }
  /** Every queue, class and filter of the host, but those on devices of ours. */
  const queues = async () => {
    const script =
      'tc qdisc show; cd /sys/class/net; for d in *; do tc class show dev $d; tc filter show dev $d; done'
    const lines = (await rig().guest.ok(['sh', '-c', script])).split('\n')
    // Of fq_codel and cake flows are listed, which come and go.
    return lines.filter((line) => !/ dev tb|^class (fq_codel|cake)/.test(line))
  }
  const rules = () => rig().guest.ok(['nft', '-s', 'list', 'ruleset'])
  const devicesNow = () => rig().guest.ok(['ip', '-br', 'link'])

  test('a round trip takes longer once, on devices with any kind of queue, which stays as it is', async () => {
    const { guest, owner, host, hasIfb } = rig()
    // Until an attack needs it, others can still load it with devices of their own.
    expect(hasIfb).toBe(false)
    const before = await captureGuest(guest, captured)
    const queuesBefore = await queues()
    const { id, backend } = await inForce('-m', String(delayMs), '-i', chosen.join(','))
    expect(backend).toBe('netem on ifb, what leaves by w0, w1, w2, w3')

    const { untouched, bare, ...delayed } = await pings(guest, {
      untouched: [undefined, peer(0, 3)],
      bare: [undefined, peer(4)],
      htb: [undefined, peer(0)],
      htb6: [undefined, peer6(0)],
      fq: [undefined, peer(1)],
      cake: [undefined, peer(2)],
      mq: [undefined, peer(3)],
      routed: ['inner', peer(0)],
      routed6: ['inner', peer6(0)],
      translated: ['inner', peer(1)],
    })
    const noiseMs = usual(untouched)
    expect(noiseMs).toBeLessThan(delayMs / 4)
    const off = Object.entries(delayed).filter(([, times]) => {
      const offMs = Math.abs(usual(times) - usual(bare))
      return times.length < 20 || offMs >= accuracyMs + noiseMs
    })
    expect(off).toEqual([])
    await expectEachOnce(host, delayMs)

    expect(await queues()).toEqual(queuesBefore)
    expect(await rules()).not.toContain('hook ingress')
    const bulk = await guest.ok(['ping', '-c', '3', '-i', '0.2', '-Q', '0x08', peer(0, 3)])
    expect(Number(/ = ([\d.]+)\//.exec(bulk)?.[1])).toBeLessThan(delayMs / 4)

    await until(
      'the delay is measured',
      async () => (await owner.executions(id))[0]?.measured?.metric === 'added_delay',
      slowMs,
      apiPollMs,
    )
    const over = host.roundTrips({ held: { ...roundTrips('udp', peer(0)), count: 100 } })
    const measured = await halt(id)
    const { held } = await over
    expect(held).toHaveLength(100)
    expect(measured).toMatchObject({ metric: 'added_delay', detail: { dropped_packets: 0 } })
    expect(Math.abs((measured?.value ?? 0) - delayMs)).toBeLessThan(mayBeOffMs(measured))
    expect(await devicesNow()).toBe(rig().devices)
    expectSameState(before, await captureGuest(guest, captured))
  })

  test('holds thousands of packets without a loss, beside another attack on the same device', async () => {
    const { guest } = rig()
    const first = await inForce('-m', '2000', '-i', peer(0, 4))
    const second = await inForce('-m', String(delayMs), '-i', peer(0))
    expect(await refused('-i', '10.77.0.0/24')).toMatch(new RegExp(`${first.id}|${second.id}`))

    // All at once: three times what netem holds when nobody says how much.
    const burst = ['-c', '3000', '-l', '3000', '-S', '33554432', '-W', '10', '-q', peer(0, 4)]
    expect(await guest.ok(['ping', ...burst])).toMatch(/ 3000 received, 0% packet loss/)
    const measured = await halt(first.id)
    expect(measured?.detail['delayed_packets']).toBeGreaterThanOrEqual(3000)
    expect(measured?.detail).toMatchObject({ dropped_packets: 0 })

    const left = await pings(guest, {
      first: [undefined, peer(0, 4)],
      second: [undefined, peer(0)],
    })
    expect(usual(left.first)).toBeLessThan(delayMs / 4)
    expectOnce(left.second, delayMs)
    await halt(second.id)
    expect(await devicesNow()).toBe(rig().devices)
  })

  test('meets what passes a device below its own once, and spares what is spared', async () => {
    const { guest, owner } = rig()
    await layUppers(guest)
    const { id } = await inForce('-m', String(delayMs), '-d', 'w0,w0.100,w0p,m0,^w0.200')
    const { spared, ...delayed } = await pings(
      guest,
      {
        wire: [undefined, peer(0)],
        vlan: [undefined, upperPeer(100)],
        service: [undefined, upperPeer(7)],
        macvlan: [undefined, upperPeer(50)],
        spared: [undefined, upperPeer(200)],
      },
      10,
    )
    expect(usual(spared)).toBeLessThan(delayMs / 4)
    for (const times of Object.values(delayed)) expectOnce(times, delayMs)
    await halt(id)

    const cut = await owner.attack({
      command: { type: 'blackhole', args: ['-l', '600', '-d', 'w0,^w0.100'] },
      target: { type: 'Exact', exact: [guest.name] },
    })
    started.add(cut)
    await owner.running(cut, slowMs)
    const heard = await pings(
      guest,
      {
        wire: [undefined, peer(0)],
        vlan: [undefined, upperPeer(100)],
      },
      3,
    )
    expect([heard.wire.length, heard.vlan.length]).toEqual([0, 3])
    await halt(cut)
    await removeUppers(guest)
    expect(await devicesNow()).toBe(rig().devices)
  })

  test.each([
    ['its device', 'ip link delete', /removed the device of the delay, tb/],
    ['the queue of its device', 'tc qdisc delete root dev', /removed the queue of the delay/],
  ])('ends at once and says so when somebody removes %s', async (_, remove, output) => {
    const { guest, owner } = rig()
    const { id } = await inForce('-m', String(delayMs), '-i', peer(0))
    await guest.ok(['sh', '-c', `${remove} $(cd /sys/class/net && echo tb*)`])
    const [execution] = await owner.finished(id, slowMs)
    started.delete(id)
    expect(execution).toMatchObject({ reason: 'fault_died', output: expect.stringMatching(output) })
    expect(await rules()).not.toContain('temblor')
    const { after } = await pings(guest, { after: [undefined, peer(0)] }, 3)
    expect(after).toHaveLength(3)
    expect(usual(after)).toBeLessThan(delayMs / 4)
    expect(await devicesNow()).toBe(rig().devices)
  })

  test('is refused on a device with filters for what leaves, before anything is changed', async () => {
    const { guest, devices } = rig()
    await guest.ok(['tc', 'qdisc', 'add', 'dev', 'w1', 'clsact'])
    await guest.ok('tc filter add dev w1 egress matchall action pass'.split(' '))
    const before = [await queues(), await rules()]
    expect(await refused('-i', `${peer(0)},${peer(1)}`)).toContain('what leaves by w1')
    expect([await queues(), await rules()]).toEqual(before)
    expect(await devicesNow()).toBe(devices)
    await guest.ok(['tc', 'qdisc', 'del', 'dev', 'w1', 'clsact'])
  })

  test('without netem, as on RHEL, a queue of the kernel delays what comes in', async () => {
    const { guest, host, owner } = rig()
    await guest.write('/etc/modprobe.d/no-netem.conf', 'install sch_netem /bin/false\n')
    await guest.ok(['tc', 'qdisc', 'del', 'dev', 'w4', 'root'])
    await guest.ok(['modprobe', '-r', 'sch_netem'])
    const before = await rules()
    await guest.ok(['systemctl', 'restart', 'temblor-agent.service'], { timeoutMs: slowMs })
    await untilInTeam(owner, guest)
    const { id, backend } = await inForce('-m', String(queuedMs), '-i', `${peer(0)},${peer6(0)}`)
    expect(backend).toBe('NFQUEUE, what comes in by w0')
    expect(await rules()).toMatch(/queue flags bypass to \d+/)
    await expectEachOnce(host, queuedMs)
    const { untouched } = await pings(guest, { untouched: [undefined, peer(0, 3)] })
    expect(usual(untouched)).toBeLessThan(queuedMs / 4)
    await halt(id)
    expect(await rules()).toBe(before)
  })
})

function roundTrips(how: 'udp' | 'tcp', address: string): RoundTrips {
  return { how, address, count: 10, everyMs: 100, withinMs: 10_000 }
}

/** Datagrams and connections, over IPv4 and IPv6. */
async function expectEachOnce(host: Probe, expectedMs: number): Promise<void> {
  for (const address of [peer(0), peer6(0)]) {
    const { udp, tcp } = await host.roundTrips({
      udp: roundTrips('udp', address),
      tcp: roundTrips('tcp', address),
    })
    expect([udp.length, tcp.length]).toEqual([10, 10])
    expectOnce(udp, expectedMs)
    expectOnce(tcp, expectedMs)
  }
}

/** No packet goes early, and the fastest goes on time: later ones waited for an emulated processor. */
function expectOnce(times: readonly number[], expectedMs: number): void {
  expect(times[0]).toBeGreaterThan(expectedMs - 1)
  expect(times[0]).toBeLessThan(1.7 * expectedMs)
}

/** It is the difference of two medians, each with what the emulated machine takes for itself. */
function mayBeOffMs(measured: Effect | null | undefined): number {
  return accuracyMs + 2 * (measured?.detail['normal_ms'] ?? 0)
}

/** What a tenth does not reach: the emulated processor is taken away from the others now and then. */
function usual(times: readonly number[]): number {
  return times[Math.floor(times.length / 10)] ?? Number.NaN
}
