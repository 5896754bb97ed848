import type { Guest } from '../support/guest/guest.ts'
import { until } from '../support/until.ts'

/** A machine outside of the guest; its containers reach it by Docker's translation of addresses. */
export const outside = '10.79.0.2'

/** Joins that machine to the guest by the device `out0`. */
export async function layPeer(guest: Guest): Promise<void> {
  const lines = [
    'netns add outside',
    'link add out0 type veth peer name eth0 netns outside',
    'address add 10.79.0.1/24 dev out0',
    'link set out0 up',
    '-n outside link set eth0 up',
    `-n outside address add ${outside}/24 dev eth0`,
  ]
  for (const line of lines) await guest.ok(['ip', ...line.split(' ')])
}

/**
 * How long a ping takes from where a process is: the fastest of three, in milliseconds, because an emulated
 * processor has other things to do. undefined when none is answered.
 */
export async function ping(
  guest: Guest,
  pid: number,
  address: string,
): Promise<number | undefined> {
  const command = ['nsenter', `--net=/proc/${pid}/ns/net`, '--', 'ping', '-q', '-n']
  const { stdout } = await guest.run([...command, '-c', '3', '-i', '0.3', '-W', '2', address])
  const ms = /= ([\d.]+)\//.exec(stdout)?.[1]
  return ms === undefined ? undefined : Number(ms)
}

/** Pings once a second until it takes at least this long. @throws Error when it does not */
export async function untilPing(
  guest: Guest,
  pid: number,
  address: string,
  atLeastMs: number,
): Promise<void> {
  await until(
    `pings to ${address} take ${atLeastMs} ms`,
    async () => ((await ping(guest, pid, address)) ?? 0) >= atLeastMs,
    90_000,
    1000,
  )
}
