import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { until } from './until.ts'

const run = promisify(execFile)

/**
 * Otherwise addresses of version 6 are tentative for a second or two, and the state changes by itself.
 * To be called before the first device of the network namespace is up.
 */
export async function acceptAddressesAtOnce(namespace: string): Promise<void> {
  for (const which of ['all', 'default']) {
    const setting = `net.ipv6.conf.${which}.accept_dad=0`
    await run('ip', ['netns', 'exec', namespace, 'sysctl', '-qw', setting])
  }
}

/**
 * Resolves when the device has the route to its link-local address. The kernel adds it last of all, some time after both
 * ends of the wire are up.
 */
export async function untilSettled(namespace: string, device: string): Promise<void> {
  const show = ['-n', namespace, '-6', 'route', 'show', 'table', 'local', 'type', 'local']
  await until(`${device} of ${namespace} has its link-local address`, async () => {
    const { stdout } = await run('ip', [...show, 'dev', device])
    return stdout.includes('fe80:')
  })
}
