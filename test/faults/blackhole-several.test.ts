import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildRuleset } from '../../agent/network/ruleset.ts'
import { namespaceOf, runIn, type NamespaceRef } from '../../agent/network/namespace.ts'
import { blackholed, surprises, targetOf } from '../support/network-attack.ts'
import { expectSameState } from '../support/host-state.ts'
import { far, networkHost, type NetworkHost } from '../support/network-host.ts'

let host: NetworkHost
beforeAll(async () => {
  host = await networkHost()
  await host.far.serve(9000)
})
afterAll(() => host[Symbol.asyncDispose]())

const tries = {
  first: { how: 'tcp', address: far.first, port: 9000 },
  second: { how: 'tcp', address: far.second, port: 9000 },
  third: { how: 'tcp', address: far.third, port: 9000 },
} as const

async function medianMs(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const at = performance.now()
    await act()
    times.push(performance.now() - at)
  }
  return times.toSorted((a, b) => a - b)[2] as number
}

describe('several blackholes at once', () => {
  it.each<[string, string, string, string[]]>([
    ['apart', far.first, far.second, ['first', 'second']],
    ['overlapping', `${far.first},${far.second}`, far.second, ['first', 'second']],
    ['equal', far.first, far.first, ['first']],
  ])('that are %s: the end of one leaves the other', async (_, one, other, both) => {
    const before = await host.state()
    const ofOne = both.filter((name) => one.includes(tries[name as keyof typeof tries].address))
    const seen = await blackholed(host, ['-i', one], async () => [
      await blackholed(host, ['-i', other], () => surprises(host.near, tries, both)),
      await surprises(host.near, tries, ofOne),
    ])
    expect(seen).toEqual([{}, {}])
    expect(await surprises(host.near, tries, [])).toEqual({})
    expectSameState(before, await host.state())
  })
})

describe('1,500 blocks', () => {
  const blocks = Array.from({ length: 1500 }, (_, i) => `10.${100 + (i >> 8)}.${i & 255}.0/25`)

  it('are chosen and spared, and the rules are loaded in moments', async () => {
    const namespace = namespaceOf(targetOf(host)) as NamespaceRef
    const anySides = { only: [], not: [] }
    const ruleset = buildRuleset(
      {
        devices: ['eth0', 'eth1'],
        chosen: blocks,
        spared: blocks.map((block) => block.replace('.0/25', '.7')),
        sparedEndpoints: [],
        remotePorts: anySides,
        localPorts: anySides,
        protocols: anySides,
        sparesDhcp: true,
        sparedLocalPort: undefined,
      },
      {
        table: 'temblor_many',
        family: 'netdev',
        hooks: [{ direction: 'ingress', verdict: 'drop' }],
        priority: 290,
        holdMs: 1000,
      },
    )
    const bare = await medianMs(() => runIn(namespace, 'nft', ['list', 'tables']))
    const loaded = await medianMs(async () => {
      await runIn(namespace, 'nft', ['-f', '-'], `${ruleset}\ndelete table netdev temblor_many\n`)
    })
    console.log(
      `3,000 blocks and addresses: ${loaded.toFixed(0)} ms, nft alone ${bare.toFixed(0)} ms`,
    )
    // Loading takes tens of ms; a way that starts a process for each block would take seconds.
    expect(loaded).toBeLessThan(2000)
  })

  it('are hit, and nothing beside them', async () => {
    const flags = ['-i', [...blocks, `${far.second}/32`].join(',')]
    const seen = await blackholed(host, flags, () => surprises(host.near, tries, ['second']))
    expect(seen).toEqual({})
  })
})
