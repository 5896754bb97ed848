import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { compareStates, expectSameState } from '../support/host-state.ts'
import { answerMs, halt, resultOf, silentMs, startAttack } from '../support/network-attack.ts'
import { far, networkHost, type NetworkHost } from '../support/network-host.ts'
import { until } from '../support/until.ts'

/** What the mission allows: however an attack ends, traffic is normal again by then. */
const healedWithinMs = 15_000
/** A hundred are tried by hand, which takes minutes. */
const rounds = Number(process.env['TEMBLOR_TEST_KILL_ROUNDS'] ?? 20)

const echo = { echo: { how: 'udp', address: far.first, port: 9000 } } as const

async function ready(): Promise<NetworkHost> {
  const host = await networkHost()
  await host.far.serve(9000)
  return host
}

async function isAnswered(host: NetworkHost, withinMs: number): Promise<boolean> {
  return (await host.near.attempt(echo, withinMs)).echo === 'answered'
}

const isHealthy = (host: NetworkHost) => isAnswered(host, answerMs)
const isSilent = async (host: NetworkHost) => !(await isAnswered(host, silentMs))

/** Milliseconds until traffic is normal. */
async function timeToHeal(host: NetworkHost): Promise<number> {
  const at = performance.now()
  const isBack = () => isAnswered(host, silentMs)
  await until('traffic is normal', isBack, healedWithinMs + 5000, 100)
  return performance.now() - at
}

/** What a user may have: queues with classes and filters, rules of routing, of nft and of iptables. */
async function furnish(host: NetworkHost): Promise<void> {
  const lines = [
    'tc qdisc add dev eth0 root handle 1: htb default 30 r2q 100',
    'tc class add dev eth0 parent 1: classid 1:1 htb rate 900mbit',
    'tc class add dev eth0 parent 1:1 classid 1:30 htb rate 800mbit ceil 900mbit prio 3',
    'tc filter add dev eth0 parent 1: protocol ip prio 7 u32 match ip dst 10.77.0.3 flowid 1:30',
    'tc qdisc add dev eth1 clsact',
    'tc filter add dev eth1 egress protocol ip u32 match ip dst 10.99.0.1 action mirred egress redirect dev lo',
    'ip rule add to 10.99.0.0/16 table 77 priority 500',
    'ip route add 10.99.0.0/16 via 10.78.0.2 table 77',
    'iptables -A INPUT -s 10.98.0.1 -j DROP',
    'ip6tables -t mangle -A POSTROUTING -d fd98::1 -j ACCEPT',
    'sysctl -qw net.ipv4.conf.eth0.rp_filter=1',
  ]
  for (const line of lines) {
    const [program = '', ...args] = line.split(' ')
    await host.tool(program, ...args)
  }
  await host.tool(
    'nft',
    'add table netdev own { chain c { type filter hook ingress device "eth0" priority 0; ip saddr 10.98.0.1 drop; }; }',
  )
}

describe.concurrent('a blackhole', () => {
  it('is over after its length, and the command with it', async () => {
    await using host = await ready()
    const before = await host.state()
    const lengthSeconds = 5
    const begunAt = performance.now()
    const attack = await startAttack(host, 'blackhole', ['-l', String(lengthSeconds)])
    expect(await isSilent(host)).toBe(true)
    await timeToHeal(host)
    expect(performance.now() - begunAt).toBeGreaterThan(lengthSeconds * 1000)
    const { code, ...gone } = await attack.ended
    expect([code, resultOf(gone as never)]).toMatchObject([0, { reason: 'completed' }])
    expectSameState(before, await host.state())
  })

  it("leaves a user's queues, rules and settings as they are, before, during and after", async () => {
    await using host = await ready()
    await furnish(host)
    const before = await host.state()
    const attack = await startAttack(host, 'blackhole', ['-l', '60'])
    const during = compareStates(before, await host.state())
    expect(await isSilent(host)).toBe(true)
    expect(await halt(attack)).toMatchObject({ reason: 'halted' })
    expect(await timeToHeal(host)).toBeLessThan(healedWithinMs)
    expectSameState(before, await host.state())
    // Only what carries our name was added: one device with its settings, one table.
    expect(during.filter((line) => line.startsWith('-'))).toEqual([])
    const foreign = during.filter(
      (line) => !line.startsWith('+ nft: ') && !/tb[0-9a-f]{12}/.test(line),
    )
    expect(foreign).toEqual([])
    const tables = during.filter((line) => line.startsWith('+ nft: table'))
    expect(tables).toEqual([expect.stringMatching(/table netdev temblor_blackhole_[0-9a-f]{12}/)])
  })

  it('heals by itself when its agent is killed, and is gone when the agent is back', async () => {
    await using host = await ready()
    const before = await host.state()
    const attack = await startAttack(host, 'blackhole', ['-l', '300'])
    attack.child.kill('SIGKILL')
    await attack.ended
    expect(await isSilent(host)).toBe(true)
    expect(await timeToHeal(host)).toBeLessThan(healedWithinMs)
    const back = await host.temblor(['rollback', '--json']).ended
    expect(JSON.parse(back.stdout)).toMatchObject({ ended: [expect.any(String)], leftBehind: [] })
    expectSameState(before, await host.state())
  })

  it('heals while its agent is frozen; thawed, the agent says so', async () => {
    await using host = await ready()
    const before = await host.state()
    const attack = await startAttack(host, 'blackhole', ['-l', '300'])
    attack.child.kill('SIGSTOP')
    expect(await isSilent(host)).toBe(true)
    expect(await timeToHeal(host)).toBeLessThan(healedWithinMs)
    attack.child.kill('SIGCONT')
    expect(resultOf(await attack.ended)).toMatchObject({ reason: 'agent_frozen' })
    expectSameState(before, await host.state())
  })

  it('ends when its agent was frozen until after its end', async () => {
    await using host = await ready()
    const before = await host.state()
    const attack = await startAttack(host, 'blackhole', ['-l', '3'])
    attack.child.kill('SIGSTOP')
    // Longer than what an agent takes for a busy machine.
    await sleep(14_000)
    expect(await isHealthy(host)).toBe(true)
    attack.child.kill('SIGCONT')
    expect(resultOf(await attack.ended)).toMatchObject({ reason: 'completed' })
    expectSameState(before, await host.state())
  })

  it('ends and says so when somebody flushes all rules', async () => {
    await using host = await ready()
    const before = await host.state()
    const attack = await startAttack(host, 'blackhole', ['-l', '300'])
    await host.tool('nft', 'flush', 'ruleset')
    expect(await isHealthy(host)).toBe(true)
    expect(resultOf(await attack.ended)).toMatchObject({
      reason: 'fault_died',
      output: expect.stringContaining('removed the nft table'),
    })
    expectSameState(before, await host.state())
  })

  it.each([
    ['gone', [], /eth0, which the attack was on, is gone\./],
    [
      'gone and another one has its name',
      ['link add eth0 type veth peer name other0', 'link set eth0 up'],
      /eth0, .* gone: another one has its name\./,
    ],
  ])('ends and says so when a device of it is %s', async (_, next, output) => {
    await using host = await ready()
    const attack = await startAttack(host, 'blackhole', ['-l', '20', '-d', 'eth0'])
    await host.tool(
      'sh',
      '-c',
      ['link delete eth0', ...next].map((line) => `ip ${line}`).join(' && '),
    )
    expect(resultOf(await attack.ended)).toMatchObject({
      reason: 'fault_died',
      output: expect.stringMatching(output),
    })
    expect(await host.tool('nft', 'list', 'tables')).toBe('')
  })

  it('goes on when one of its devices is gone and another is left', async () => {
    await using host = await ready()
    const attack = await startAttack(host, 'blackhole', ['-l', '4', '-d', 'eth0', '-d', 'eth1'])
    await host.tool('ip', 'link', 'delete', 'eth1')
    expect(resultOf(await attack.ended)).toMatchObject({ reason: 'completed' })
  })

  it('of another agent is not touched by a rollback', async () => {
    await using host = await ready()
    const before = await host.state()
    const otherDir = mkdtempSync(join(tmpdir(), 'temblor-other-'))
    const other = host.temblor(['attack', 'blackhole', '-l', '60', '--json'], {
      env: { TEMBLOR_AGENT_DIR: otherDir },
    })
    await other.saw(/: Running/)
    const mine = await startAttack(host, 'blackhole', ['-l', '60'])
    mine.child.kill('SIGKILL')
    await mine.ended
    expect((await host.temblor(['rollback']).ended).code).toBe(0)
    expect(await isSilent(host)).toBe(true)
    expect(await host.tool('nft', 'list', 'tables')).toMatch(/^table netdev temblor_\w+\n$/)
    await halt(other)
    rmSync(otherDir, { recursive: true })
    expect(await isHealthy(host)).toBe(true)
    expectSameState(before, await host.state())
  })

  it('that is halted while it starts leaves nothing', async () => {
    await using host = await ready()
    const before = await host.state()
    for (const delayMs of [0, 10, 30, 60]) {
      const attack = host.temblor(['attack', 'blackhole', '-l', '60', '--json'])
      await attack.saw(/: Initializing/)
      await sleep(delayMs)
      expect(await halt(attack)).toMatchObject({ reason: 'halted' })
      expect(await host.tool('nft', 'list', 'tables')).toBe('')
    }
    expect(await isHealthy(host)).toBe(true)
    expectSameState(before, await host.state())
  })

  it(`that is killed at any moment leaves nothing when the agent is back: ${rounds} rounds`, async () => {
    await using host = await ready()
    const before = await host.state()
    const tables = async () =>
      (await host.tool('nft', 'list', 'tables')).split('\n').filter(Boolean)
    const left: string[] = []
    for (let round = 0; round < rounds; round += 1) {
      const known = await tables()
      // Before it starts anything it takes back what the round before has left.
      const attack = host.temblor(['attack', 'blackhole', '-l', '60'])
      await attack.saw(/: Initializing/)
      await sleep(randomInt(round % 2 === 0 ? 60 : 400))
      attack.child.kill('SIGKILL')
      await attack.ended
      left.push(...(await tables()).filter((table) => known.includes(table)))
    }
    expect(left).toEqual([])
    expect((await host.temblor(['rollback']).ended).code).toBe(0)
    expect(await tables()).toEqual([])
    expect(await isHealthy(host)).toBe(true)
    expectSameState(before, await host.state())
  }, 600_000)
})
