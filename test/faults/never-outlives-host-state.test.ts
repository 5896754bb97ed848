import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareStates, expectSameState } from '../support/host-state.ts'
import { answerMs } from '../support/network-attack.ts'
import { far, networkHost, type NetworkHost } from '../support/network-host.ts'

let host: NetworkHost
beforeAll(async () => {
  host = await networkHost()
})
afterAll(() => host[Symbol.asyncDispose]())

/** Does something, sees what the comparison says of it, and undoes it. */
async function differences(act: () => unknown, undo: () => unknown): Promise<string> {
  const before = await host.state()
  await act()
  const between = await host.state()
  await undo()
  expectSameState(before, await host.state())
  return compareStates(before, between).join('\n')
}

const tools = (lines: readonly string[]) => async () => {
  for (const line of lines) {
    const [program = '', ...args] = line.split(' ')
    await host.tool(program, ...args)
  }
}

/** What is done, how it is undone, and what has to be seen. */
const changes: Record<string, { act: string[]; undo: string[]; seen: RegExp }> = {
  'a device': {
    act: ['ip link add tb0 type ifb'],
    undo: ['ip link delete tb0'],
    seen: /\+ devices: .*"tb0"/,
  },
  'a device that is down': {
    act: ['ip link set eth1 down'],
    undo: ['ip link set eth1 up', 'ip -6 address replace fd78::1/64 dev eth1 nodad'],
    seen: /- devices: .*"eth1"/,
  },
  'an address': {
    act: ['ip address add 10.99.0.1/32 dev eth0'],
    undo: ['ip address delete 10.99.0.1/32 dev eth0'],
    seen: /\+ addresses: .*10\.99\.0\.1/,
  },
  'a route of any table': {
    act: ['ip route add 10.99.0.0/24 via 10.77.0.2 table 99'],
    undo: ['ip route delete 10.99.0.0/24 table 99'],
    seen: /\+ routes: .*10\.99\.0\.0.*"table":"99"/,
  },
  'a rule of routing': {
    act: ['ip rule add to 10.99.0.0/24 blackhole priority 99'],
    undo: ['ip rule delete priority 99'],
    seen: /\+ ip rules: .*10\.99\.0\.0/,
  },
  'a class and a filter of a queue': {
    act: [
      'tc qdisc add dev eth0 root handle 7: htb default 1',
      'tc class add dev eth0 parent 7: classid 7:1 htb rate 1gbit',
      'tc filter add dev eth0 parent 7: protocol ip prio 1 u32 match ip dst 10.99.0.1 flowid 7:1',
    ],
    undo: ['tc qdisc delete dev eth0 root'],
    seen: /\+ queues: qdisc htb 7:.*\+ queue classes: eth0: class htb 7:1.*\+ filters: eth0 parent 7:: filter.*u32/s,
  },
  'a filter of clsact': {
    act: [
      'tc qdisc add dev eth1 clsact',
      'tc filter add dev eth1 egress protocol ip u32 match ip dst 10.99.0.1 action mirred egress redirect dev lo',
    ],
    undo: ['tc qdisc delete dev eth1 clsact'],
    seen: /\+ queues: qdisc clsact.*\+ filters: eth1 egress: /s,
  },
  'a table of nft': {
    act: ['nft add table netdev temblor_x'],
    undo: ['nft delete table netdev temblor_x'],
    seen: /\+ nft: table netdev temblor_x/,
  },
  'an element of a set': {
    act: ['nft add table ip t', 'nft add set ip t s { type ipv4_addr; flags timeout; }'],
    undo: ['nft delete table ip t'],
    seen: /\+ nft: \tset s/,
  },
  'a rule of iptables': {
    act: ['iptables -t mangle -A INPUT -s 10.99.0.1 -j DROP'],
    undo: ['iptables -t mangle -D INPUT 1', 'nft delete table ip mangle'],
    seen: /\+ iptables: iptables: -A INPUT -s 10\.99\.0\.1/,
  },
  'a rule of ip6tables': {
    act: ['ip6tables -t mangle -A INPUT -s fd99::1 -j DROP'],
    undo: ['ip6tables -t mangle -D INPUT 1', 'nft delete table ip6 mangle'],
    seen: /\+ iptables: ip6tables: -A INPUT -s fd99::1/,
  },
  'a setting of the kernel': {
    act: ['sysctl -qw net.ipv4.conf.eth0.rp_filter=2'],
    undo: ['sysctl -qw net.ipv4.conf.eth0.rp_filter=0'],
    seen: /\+ sysctls: .*eth0\/rp_filter = 2/,
  },
}

describe('two states of a host', () => {
  it(`differ by ${Object.keys(changes).join(', ')}`, async () => {
    const all = Object.values(changes)
    const seen = await differences(
      tools(all.flatMap(({ act }) => act)),
      tools(all.toReversed().flatMap(({ undo }) => undo)),
    )
    for (const change of all) expect(seen).toMatch(change.seen)
  })

  it('differ by a process of ours', async () => {
    const marker = `temblor:${host.instanceId}:x`
    const start = () =>
      spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)', marker], { stdio: 'ignore' })
    let child: ReturnType<typeof start> | undefined
    const seen = await differences(
      () => {
        child = start()
        return once(child, 'spawn')
      },
      () => {
        child?.kill('SIGKILL')
        return child && once(child, 'close')
      },
    )
    expect(seen).toContain(marker)
  })

  it('differ by files: new ones, what they hold, their modes, where links lead', async () => {
    const [file, link] = [join(host.stateDir, 'left'), join(host.stateDir, 'folder/link')]
    const write = (text: string, mode: number) => () => {
      mkdirSync(join(host.stateDir, 'folder'), { recursive: true })
      writeFileSync(file, text, { mode })
    }
    const clean = () => {
      rmSync(file, { force: true })
      rmSync(join(host.stateDir, 'folder'), { recursive: true })
    }
    expect(await differences(write('a', 0o600), clean)).toMatch(/\+ files: .*\/left 600/)
    write('a', 0o600)()
    expect(await differences(write('b', 0o600), write('a', 0o600))).toMatch(/- files:.*\+ files:/s)
    expect(
      await differences(
        () => symlinkSync('/etc/hosts', link),
        () => rmSync(link),
      ),
    ).toMatch(/link 777 0:0 -> \/etc\/hosts/)
    clean()
  })

  it('do not differ by counters', async () => {
    await host.far.serve(9000)
    await host.tool(
      'nft',
      'add table inet t { chain c { type filter hook input priority 0; counter; }; }',
    )
    const before = await host.state()
    const echoed = { echo: { how: 'udp', address: far.first, port: 9000 } } as const
    const { echo } = await host.near.attempt(echoed, answerMs)
    expect(echo).toBe('answered')
    expectSameState(before, await host.state())
    await host.tool('nft', 'delete', 'table', 'inet', 't')
  })
})

describe('the comparison', () => {
  it('lists everything, and says which side it is on', () => {
    const before = { queues: ['a', 'b', 'b'], nft: ['t'] }
    const after = { queues: ['b', 'a', 'c'], files: ['f'] }
    const all = ['- queues: b', '+ queues: c', '- nft: t', '+ files: f']
    expect(compareStates(before, after)).toEqual(all)
    expect(() => expectSameState(before, after)).toThrow(all.join('\n'))
    expect(() => expectSameState(before, before)).not.toThrow()
  })
})
