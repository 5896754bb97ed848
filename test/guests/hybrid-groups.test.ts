import { describe, expect, test } from 'vitest'
import { startGuest } from '../support/guest/guest.ts'
import { shared } from '../support/guest/skip.ts'
import { dockerKernelArgs, runContainer, startDocker } from './docker-host.ts'

/** As on RHEL 8 and Debian 10: controllers in hierarchies of version 1, an empty one of version 2. */
const hybrid = [
  'systemd.unified_cgroup_hierarchy=0',
  'systemd.legacy_systemd_cgroup_controller=0',
] as const
const slow = { timeoutMs: 120_000 }

describe('a real host with control groups of both versions', () => {
  const rig = shared(async (own) => {
    const kernelArgs = [...dockerKernelArgs, ...hybrid]
    const guest = own.use(await startGuest({ name: 'old-1', memoryMb: 1024, kernelArgs }))
    await startDocker(guest)
    return { guest, web: await runContainer(guest, 'web', '--cpus=0.5') }
  })

  test('a container burns what was asked of its quota', async () => {
    const { guest, web } = rig()
    expect(await guest.read('/proc/self/mountinfo')).toMatch(/\/unified .* - cgroup2 /)
    const usage = `/sys/fs/cgroup/cpu,cpuacct/docker/${web}/cpuacct.usage`
    const before = Number(await guest.read(usage))
    const args = ['attack-container', 'web', 'cpu', '-l', '10', '-c', '1', '-p', '50', '--json']
    const report = JSON.parse(await guest.ok(['temblor', ...args], slow)) as {
      backend: string
      measured: { value: number }
    }
    expect(report.backend).toBe('burner in cgroup v1')
    // An emulated processor is taken away from a burner for longer than a real one.
    expect(Math.abs(report.measured.value - 50)).toBeLessThan(10)
    const burntSeconds = (Number(await guest.read(usage)) - before) / 1e9
    // Half of half a core for ten seconds, and what starting it took in the container's groups.
    expect(burntSeconds).toBeGreaterThan(2.2)
    expect(burntSeconds).toBeLessThan(4)
  })
})
