import { describe, expect, test } from 'vitest'
import { layCable } from '../support/guest/cable.ts'
import { startGuest } from '../support/guest/guest.ts'
import { shared } from '../support/guest/shared.ts'

describe('emulated machines', () => {
  const rig = shared(async (own) => {
    const [left, right] = own.use(layCable()).ends
    const [a, b] = await Promise.all([
      startGuest({
        name: 'a',
        nics: [{ end: left, addresses: ['192.0.2.1/24', '2001:db8::1/64'] }],
      }),
      startGuest({
        name: 'b',
        nics: [{ end: right, addresses: ['192.0.2.2/24', '2001:db8::2/64'] }],
      }),
    ])
    return { a: own.use(a), b: own.use(b) }
  })

  test('tell how a command has ended and what it printed', async () => {
    const { a } = rig()
    const command = ['sh', '-c', 'hostname; cat; echo oops >&2; exit 3']
    expect(await a.run(command, { input: 'from here' })).toEqual({
      code: 3,
      signal: undefined,
      stdout: 'a\nfrom here',
      stderr: 'oops\n',
    })
    await expect(a.run(['sleep', '600'], { timeoutMs: 300 })).rejects.toThrow('sleep 600')
    expect((await a.run(['pgrep', 'sleep'])).code).toBe(1)
    await expect(a.run(['no-such-program'])).rejects.toThrow('no-such-program')
  })

  test.each(['192.0.2.2', '2001:db8::2'])(
    'reach each other over a cable at %s',
    async (address) => {
      expect(await rig().a.run(['ping', '-c', '2', '-W', '5', address])).toMatchObject({ code: 0 })
    },
  )

  test('have what the faults need of a kernel', async () => {
    const { a } = rig()
    await a.ok(['modprobe', '-a', 'sch_netem', 'ifb', 'nf_tables', 'nfnetlink_queue'])
    expect(await a.read('/sys/fs/cgroup/cgroup.controllers')).toContain('cpu')
  })

  test('answer with the network down and the clock set by a day', async () => {
    const { a } = rig()
    await a.ok(['ip', 'link', 'set', 'eth0', 'down'])
    for (const step of ['+1 day', '-2 days', '+1 day']) await a.ok(['date', '-s', step])
    await a.ok(['ip', 'link', 'set', 'eth0', 'up'])
    const secondsApart = Number(await a.ok(['date', '+%s'])) - Date.now() / 1000
    expect(Math.abs(secondsApart)).toBeLessThan(60)
  })

  test('keep over a power cut what they have synced', async () => {
    const { b } = rig()
    await b.write('/root/synced', 'here')
    const bootId = await b.bootId()
    await b.kill()
    expect(await b.exited).toMatchObject({ signal: 'SIGKILL' })
    await b.start()
    expect(await b.read('/root/synced')).toBe('here')
    expect(await b.bootId()).not.toBe(bootId)
  })

  test('end when they power themselves off', async () => {
    const { b } = rig()
    await b.order('poweroff')
    expect(await b.exited).toEqual({ code: 0, signal: null })
  })
})
