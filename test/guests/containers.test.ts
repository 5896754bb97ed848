import { afterEach, describe, expect, test } from 'vitest'
import type { AttackRequest } from '../support/api.ts'
import { startGuest } from '../support/guest/guest.ts'
import { installAgent, joinLineForGuests, startGuestService } from '../support/guest/installed.ts'
import { shared } from '../support/guest/shared.ts'
import { apiPollMs, until } from '../support/until.ts'
import {
  dockerKernelArgs,
  readCpu,
  runAgentContainer,
  runContainer,
  runningContainers,
  startDocker,
  untilBurning,
} from './docker-host.ts'
import { layPeer, outside, ping, untilPing } from './outside.ts'

const slowMs = 90_000
const delayMs = 300
/** By container. A fifth of less would be less than an idle program takes where all is emulated. */
const capacityCores = { web: 0.5, other: 1 }
/** The process whose network is the host's. */
const host = 1

describe('containers of a real host with control groups of version 2', () => {
  const rig = shared(async (own) => {
    const [service, guest] = await Promise.all([
      startGuestService().then((one) => own.use(one)),
      startGuest({ name: 'box-1', memoryMb: 1536, kernelArgs: dockerKernelArgs }).then((one) =>
        own.use(one),
      ),
    ])
    await startDocker(guest)
    await layPeer(guest)
    const start = (name: 'web' | 'other') =>
      runContainer(guest, name, `--cpus=${capacityCores[name]}`, '--restart=always')
    const [web, other] = [await start('web'), await start('other')]
    await installAgent(guest, service)
    const { owner } = service
    await untilListed(owner, [web, other])
    return { service, guest, owner, web, other }
  })

  const started = new Set<string>()
  // What a failed test has left does not fail the others.
  afterEach(() => halt(...started))
  const attack = async (
    type: string,
    on: { container?: string; host?: string },
    ...args: string[]
  ) => {
    const request: AttackRequest = {
      command: { type, args: ['-l', '600', ...args] },
      target: on.host === undefined ? { type: 'Random' } : { type: 'Exact', exact: [on.host] },
      ...(on.container === undefined ? {} : { labels: { name: on.container } }),
    }
    const id = await rig().owner.attack(request)
    started.add(id)
    return id
  }
  const running = async (...ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await rig().owner.running(id, slowMs))[0]?.backend))
  const halt = async (...ids: readonly string[]) => {
    for (const id of ids) await rig().owner.halt(id)
    for (const id of ids) {
      started.delete(id)
      const [execution] = await rig().owner.finished(id, slowMs)
      expect(execution).toMatchObject({ stage: 'UserHalted' })
    }
  }
  const containers = () => runningContainers(rig().guest, 'web', 'other')
  /** What is there of ours in the host's network or in those of containers. */
  const traces = async () => {
    const { web, other } = await containers()
    const script =
      'for pid; do nsenter --net=/proc/$pid/ns/net sh -c "nft list tables; ip -o link"; done'
    const pids = [host, web.pid, other.pid].map(String)
    const lines = await rig().guest.ok(['sh', '-c', script, 'sh', ...pids])
    return lines.split('\n').filter((line) => /temblor|\btb[0-9a-f]{12}/.test(line))
  }

  test('burn what was asked of their quota, also with control groups of their own inside', async () => {
    const { guest, web, other } = rig()
    // As a container does that runs systemd: processes only in leaves, below a group that divides CPU.
    const group = `/sys/fs/cgroup/system.slice/docker-${web}.scope`
    const { pid } = (await containers()).web
    await guest.ok(['mkdir', `${group}/init`])
    await guest.ok(['tee', `${group}/init/cgroup.procs`], { input: String(pid) })
    await guest.ok(['tee', `${group}/cgroup.subtree_control`], { input: '+cpu' })
    // One after the other: a start takes all that an emulated processor has.
    const half = await attack('cpu', { container: 'web' }, '-c', '1', '-p', '50')
    expect(await running(half)).toEqual(['burner in cgroup v2'])
    const fifth = await attack('cpu', { container: 'other' }, '-c', '1', '-p', '20')
    expect(await running(fifth)).toEqual(['burner in cgroup v2'])
    await Promise.all([
      untilBurning(50, capacityCores.web, () => readCpu(guest, web)),
      untilBurning(20, capacityCores.other, () => readCpu(guest, other)),
    ])
    await halt(half, fifth)
    expect((await guest.run(['pgrep', '-f', 'cpu-burner'])).code).toBe(1)
  })

  test('are delayed and cut off alone, and the delay follows a restart', async () => {
    const { guest } = rig()
    const { web, other } = await containers()
    const delay = await attack('latency', { container: 'web' }, '-m', String(delayMs))
    expect(await running(delay)).toEqual(['netem on ifb, what leaves by eth0'])
    for (const to of [other.address, outside]) {
      const ms = await ping(guest, web.pid, to)
      expect(ms).toBeGreaterThan(delayMs - 1)
      expect(ms).toBeLessThan(1.8 * delayMs)
    }
    expect(await ping(guest, other.pid, outside)).toBeLessThan(delayMs / 2)

    const cut = await attack('blackhole', { container: 'web' }, '-i', outside)
    await running(cut)
    expect(await ping(guest, web.pid, outside)).toBeUndefined()
    expect(await ping(guest, web.pid, other.address)).toBeGreaterThan(delayMs - 1)
    expect(await ping(guest, other.pid, outside)).toBeLessThan(delayMs / 2)
    await halt(cut)
    expect(await ping(guest, web.pid, outside)).toBeGreaterThan(delayMs - 1)

    await guest.ok(['docker', 'restart', 'web'], { timeoutMs: slowMs })
    const again = (await containers()).web
    expect(again.pid).not.toBe(web.pid)
    await untilPing(guest, again.pid, other.address, delayMs - 1)
    await halt(delay)
    expect(await ping(guest, again.pid, other.address)).toBeLessThan(delayMs / 2)
    expect(await traces()).toEqual([])
  })

  test('a restart of Docker changes nothing for the host, and neither loses nor doubles its rules', async () => {
    const { guest, owner } = rig()
    const ofDocker = async () => {
      const saved = await guest.ok(['iptables-save'])
      return saved.split('\n').filter((line) => line.startsWith('-'))
    }
    const before = await ofDocker()
    const onHost = await attack('blackhole', { host: guest.name }, '-i', outside)
    const inContainer = await attack('latency', { container: 'web' }, '-m', String(delayMs))
    await running(onHost, inContainer)
    expect(await ofDocker()).toEqual(before)
    await guest.ok(['systemctl', 'restart', 'docker'], { timeoutMs: slowMs })
    expect(await ofDocker()).toEqual(before)
    expect(await ping(guest, host, outside)).toBeUndefined()
    const [execution] = await owner.executions(onHost)
    expect(execution?.stage).toBe('Running')
    await halt(onHost)
    expect(await ping(guest, host, outside)).toBeLessThan(delayMs / 2)
    // The containers come back, and the delay with them.
    const { web } = await until('the containers run', containers, slowMs, 1000)
    await untilPing(guest, web.pid, outside, delayMs - 1)
    await halt(inContainer)
    expect(await ping(guest, web.pid, outside)).toBeLessThan(delayMs / 2)
    expect(await ofDocker()).toEqual(before)
    expect(await traces()).toEqual([])
  })

  test('an agent in a container without privileges hits its host and other containers', async () => {
    const { guest, owner, service, web: webId } = rig()
    await guest.ok(['systemctl', 'stop', 'temblor-agent.service'], { timeoutMs: slowMs })
    const devices = await guest.ok(['ip', '-o', 'link'])
    const name = 'box-1-agent'
    await runAgentContainer(guest, name, {
      TEMBLOR_JOIN: joinLineForGuests(service),
      TEMBLOR_IDENTIFIER: name,
    })
    const isTargetable = async () =>
      (await owner.activeClients()).some((one) => one.identifier === name && one.targetable)
    await until('the agent in the container is targetable', isTargetable, slowMs, apiPollMs)
    await untilListed(owner, [webId])
    // The load first, and alone, for the same reason.
    const burning = await attack('cpu', { container: 'web' }, '-c', '1', '-p', '50')
    expect(await running(burning)).toEqual(['burner in cgroup v2'])
    const onHost = await attack('latency', { host: name }, '-m', String(delayMs), '-i', outside)
    const cut = await attack('blackhole', { container: 'web' }, '-i', outside)
    expect(await running(onHost, cut)).toEqual([
      'netem on ifb, what leaves by out0',
      'nft drop, both directions, on eth0',
    ])
    const { web, other } = await containers()
    expect(await ping(guest, host, outside)).toBeGreaterThan(delayMs - 1)
    expect(await ping(guest, web.pid, outside)).toBeUndefined()
    expect(await ping(guest, web.pid, other.address)).toBeLessThan(delayMs / 2)
    const burntSeconds = async () => (await readCpu(guest, webId)).cpuSeconds
    const before = await burntSeconds()
    await until('it burns', async () => (await burntSeconds()) > before + 0.3)
    await halt(onHost, burning, cut)
    expect(await ping(guest, host, outside)).toBeLessThan(delayMs / 2)
    expect(await ping(guest, web.pid, outside)).toBeLessThan(delayMs / 2)
    expect(await traces()).toEqual([])
    await guest.ok(['docker', 'rm', '-f', name], { timeoutMs: slowMs })
    expect(await guest.ok(['ip', '-o', 'link'])).toBe(devices)
  })
})

async function untilListed(
  owner: { containers(): Promise<readonly { identifier: string }[]> },
  ids: readonly string[],
): Promise<void> {
  await until(
    'the controller knows the containers',
    async () => {
      const known = new Set((await owner.containers()).map(({ identifier }) => identifier))
      return ids.every((id) => known.has(id))
    },
    slowMs,
    apiPollMs,
  )
}
