import { describe, expect, test } from 'vitest'
import { startGuest } from '../support/guest/guest.ts'
import { shared } from '../support/guest/shared.ts'
import { until } from '../support/until.ts'
import {
  dockerKernelArgs,
  runContainer,
  startDocker,
  toleratedPoints,
  untilBurning,
} from './docker-host.ts'

/** As on RHEL 8 and Debian 10: controllers in hierarchies of version 1, an empty one of version 2. */
const hybrid = [
  'systemd.unified_cgroup_hierarchy=0',
  'systemd.legacy_systemd_cgroup_controller=0',
] as const
const capacityCores = 0.5
const slow = { timeoutMs: 120_000 }

describe('a real host with control groups of both versions', () => {
  const rig = shared(async (own) => {
    const kernelArgs = [...dockerKernelArgs, ...hybrid]
    const guest = own.use(await startGuest({ name: 'old-1', memoryMb: 1024, kernelArgs }))
    await startDocker(guest)
    return { guest, web: await runContainer(guest, 'web', `--cpus=${capacityCores}`) }
  })

  test('a container burns what was asked of its quota', async () => {
    const { guest, web } = rig()
    expect(await guest.read('/proc/self/mountinfo')).toMatch(/\/unified .* - cgroup2 /)
    const usage = `/sys/fs/cgroup/cpu,cpuacct/docker/${web}/cpuacct.usage`
    const read = async () => {
      const [upSeconds, , nanoseconds] = (await guest.ok(['cat', '/proc/uptime', usage])).split(
        /\s/,
      )
      return { upSeconds: Number(upSeconds), cpuSeconds: Number(nanoseconds) / 1e9 }
    }
    const args = ['attack-container', 'web', 'cpu', '-l', '60', '-c', '1', '-p', '50', '--json']
    const over = guest.ok(['temblor', ...args], slow)
    await until(
      'a burner is there',
      async () => (await guest.run(['pgrep', '-f', 'cpu-burner'])).code === 0,
      slow.timeoutMs,
    )
    await untilBurning(50, capacityCores, read)
    const report = JSON.parse(await over) as { backend: string; measured: { value: number } }
    expect(report.backend).toBe('burner in cgroup v1')
    // Over all of its time, in which others may have had the processor.
    expect(report.measured.value).toBeGreaterThan(20)
    expect(report.measured.value).toBeLessThan(50 + toleratedPoints)
  })
})
