import type { Guest } from '../support/guest/guest.ts'
import { elapse } from '../support/until.ts'

/** Docker would want a program to load its profile with, which these guests do not have. */
export const dockerKernelArgs = ['apparmor=0']

/** How far a load may be off, in points: an emulated processor is taken away from it for longer. */
export const toleratedPoints = 8

/**
 * Measures for five seconds, again and again, until so many percent of a capacity are burnt: when others are busy
 * on this machine an emulated processor cannot burn what is asked. @throws Error with all that was measured
 */
export async function untilBurning(
  percent: number,
  capacityCores: number,
  read: () => Promise<CpuReading>,
  withinMs = 40_000,
): Promise<void> {
  const measured: string[] = []
  const until = performance.now() + withinMs
  while (performance.now() < until) {
    const before = await read()
    await elapse(5_000)
    const after = await read()
    const burntSeconds = after.cpuSeconds - before.cpuSeconds
    const burnt = (100 * burntSeconds) / (after.upSeconds - before.upSeconds) / capacityCores
    if (Math.abs(burnt - percent) < toleratedPoints) return
    measured.push(burnt.toFixed(1))
  }
  throw new Error(`Not ${percent} % but ${measured.join(', ')} %.`)
}

const image = 'target:1'
/** Where the container's own files would be are those of the guest. */
const agentImage = 'agent:1'

/** Starts Docker (15 s) and makes the images; no registry is needed. */
export async function startDocker(guest: Guest): Promise<void> {
  await guest.ok(['systemctl', 'start', 'docker'], { timeoutMs: 120_000 })
  const target = `mkdir -p target/bin agent/opt/temblor agent/usr agent/tmp agent/var/lib/temblor
cp /bin/busybox target/bin
for name in sh sleep ping; do ln -s busybox target/bin/$name; done
for name in bin sbin lib lib64; do ln -s usr/$name agent/$name; done
tar -C target -c . | docker import - ${image}
tar -C agent -c . | docker import - ${agentImage}`
  const script = `set -e; cd "$(mktemp -d)"; ${target}`
  await guest.ok(['sh', '-c', script], { timeoutMs: 120_000 })
}

/** Runs a container that does nothing. @returns its id */
export async function runContainer(
  guest: Guest,
  name: string,
  ...options: readonly string[]
): Promise<string> {
  // Without a handler of its own for a gentler signal it would take ten seconds to stop.
  const fixed = ['--detach', '--stop-signal=KILL']
  const all = [...fixed, '--name', name, '--label', `name=${name}`, ...options]
  return (await guest.ok(['docker', 'run', ...all, image, '/bin/sleep', '3600'])).trim()
}

/** What an agent in a container is given: rights, the host's processes and control groups, Docker. */
const agentOptions = [
  '--pid=host',
  '--cgroupns=host',
  '--cap-drop=ALL',
  ...['SYS_ADMIN', 'NET_ADMIN', 'SYS_PTRACE', 'KILL'].map((right) => `--cap-add=${right}`),
  '--volume=/sys/fs/cgroup:/sys/fs/cgroup',
  '--volume=/var/run/docker.sock:/var/run/docker.sock',
  // The tools and libraries that an image of its own would hold.
  '--volume=/usr:/usr:ro',
  '--volume=/opt/temblor:/opt/temblor:ro',
]

/** Starts an agent in a container with a host name of its own. */
export async function runAgentContainer(
  guest: Guest,
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const settings = Object.entries(environment).map(([key, value]) => `--env=${key}=${value}`)
  const program = ['/opt/temblor/node_modules/.bin/node', '/opt/temblor/agent/main.ts']
  const options = ['--detach', '--name', name, '--hostname', name, ...agentOptions, ...settings]
  await guest.ok(['docker', 'run', ...options, agentImage, ...program])
}

/** A container as it runs now: its first process, as the guest numbers it, and its address. */
export interface RunningContainer {
  readonly pid: number
  readonly address: string
}

/** Containers by name. @throws Error when one of them does not run */
export async function runningContainers<K extends string>(
  guest: Guest,
  ...names: readonly K[]
): Promise<Record<K, RunningContainer>> {
  const format = '{{.State.Pid}} {{.NetworkSettings.IPAddress}}'
  const lines = (await guest.ok(['docker', 'inspect', '-f', format, ...names])).split('\n')
  const entries = names.map((name, index) => {
    const [pid, address = ''] = (lines[index] ?? '').split(' ')
    if (!Number(pid)) throw new Error(`The container ${name} does not run.`)
    return [name, { pid: Number(pid), address }]
  })
  return Object.fromEntries(entries) as Record<K, RunningContainer>
}

/** CPU time of a container, in seconds, and the guest's uptime, read at one moment. */
export interface CpuReading {
  readonly upSeconds: number
  readonly cpuSeconds: number
}

/** Reads what the control group of a container (version 2) has of its CPU time. */
export async function readCpu(guest: Guest, id: string): Promise<CpuReading> {
  const file = `/sys/fs/cgroup/system.slice/docker-${id}.scope/cpu.stat`
  const text = await guest.ok(['cat', '/proc/uptime', file])
  return {
    upSeconds: Number(text.split(' ', 1)[0]),
    cpuSeconds: Number(/usage_usec (\d+)/.exec(text)?.[1]) / 1e6,
  }
}
