import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selectorOf } from '../../shared/attacks/network/selector.ts'
import { Gate } from '../../agent/network/gate.ts'
import { followNames } from '../../agent/network/name-refresh.ts'
import { runIn } from '../../agent/network/namespace.ts'
import { buildRuleset } from '../../agent/network/ruleset.ts'
import { findTraffic } from '../../agent/network/target-traffic.ts'
import { parseArgs } from '../../shared/attacks/args.ts'
import type { AttackType } from '../../shared/attacks/define.ts'
import { attackTypes } from '../../shared/attacks/index.ts'
import {
  blackholed,
  contextOf,
  halt,
  resultOf,
  startAttack,
  surprises,
  targetOf,
} from '../support/network-attack.ts'
import { far, networkHost, type NetworkHost } from '../support/network-host.ts'
import { until } from '../support/until.ts'

let host: NetworkHost
beforeAll(async () => {
  host = await networkHost({
    hosts: `127.0.0.1 localhost\n${far.third} db DB.example # both\nfe80::9%eth0 db\n::ffff:${far.second} mapped\n`,
    'resolv.conf': `nameserver ${far.first}\nsearch . corp.example\n`,
  })
  await host.far.serve(9000)
  await host.far.names({
    'api.example': { a: [far.first], aaaa: [far.first6] },
    'intra.corp.example': { a: [far.second] },
    'broken6.example': { a: [far.second], fails: 'aaaa' },
    'broken.example': { fails: 'both' },
    'empty.example': {},
  })
})
afterAll(() => host[Symbol.asyncDispose]())

const tries = {
  first: { how: 'tcp', address: far.first, port: 9000 },
  second: { how: 'tcp', address: far.second, port: 9000 },
  third: { how: 'tcp', address: far.third, port: 9000 },
  first6: { how: 'tcp', address: far.first6, port: 9000 },
  second6: { how: 'tcp', address: far.second6, port: 9000 },
  other: { how: 'tcp', address: far.otherWire, port: 9000 },
} as const

const isHealthy = () => surprises(host.near, tries, [])

describe('a name', () => {
  it.each<[string, string[], string[]]>([
    ['in the hosts file', ['db'], ['third']],
    ['in the hosts file, whatever the case', ['DB.Example.'], ['third']],
    ['with a v4 address written as v6', ['mapped'], ['second']],
    ['of both families', ['api.example'], ['first', 'first6']],
    ['in a domain that is searched', ['intra'], ['second']],
    ['whose server fails for one family', ['broken6.example'], ['second']],
    ['beside another', ['db,intra'], ['second', 'third']],
    ['that is spared', ['^api.example'], ['second', 'third', 'second6', 'other']],
  ])('%s is found where the target looks', async (_, names, silent) => {
    const flags = names.flatMap((name) => ['-h', name])
    const seen = await blackholed(host, flags, () => surprises(host.near, tries, silent))
    expect(seen).toEqual({})
  })

  it.each([
    ['nobody.example', /-h\/--hostname nobody\.example has no address where the target looks/],
    ['empty.example', /-h\/--hostname empty\.example has no address/],
    ['broken.example', /-h\/--hostname broken\.example cannot be looked up .*ESERVFAIL/],
    ['^nobody.example', /-h\/--hostname nobody\.example has no address/],
    ['localhost', /127\.0\.0\.1 is reached over loopback, which is hit only with -d lo/],
  ])('%s is refused, and nothing is done', async (name, message) => {
    await expect(blackholed(host, ['-h', name], isHealthy)).rejects.toThrow(message)
    expect(await host.tool('nft', 'list', 'tables')).toBe('')
  })

  it('is followed when it gets other addresses, hit or spared; old ones stay', async () => {
    await host.far.names({
      'moving.example': { a: [far.first] },
      'safe.example': { a: [far.second] },
    })
    const flags = ['-l', '60', '-h', 'moving.example,^safe.example', '-i', far.third]
    const params = parseArgs(attackTypes.blackhole as unknown as AttackType, flags)
    const selector = selectorOf(params as never)
    const traffic = await findTraffic(selector, targetOf(host), contextOf())
    const { namespace, plan } = traffic
    const [family, table] = ['netdev', 'temblor_names'] as const
    const hooks = [{ direction: 'egress', verdict: 'drop' }] as const
    const options = { table, family, hooks, priority: 290, holdMs: 60_000 }
    await runIn(namespace, 'nft', ['-f', '-'], buildRuleset(plan, options))
    const gate = new Gate({ namespace, family, table, remainingMs: 60_000 })
    const following = followNames(traffic, selector.hostnames, gate, 50)
    try {
      expect(await surprises(host.near, tries, ['first', 'third'])).toEqual({})
      await host.far.names({
        'moving.example': { a: [far.second, far.otherWire], aaaa: [far.first6] },
        'safe.example': { a: [far.third], aaaa: [far.second6] },
      })
      await until('the new addresses are known', async () =>
        /chosen6 {[^}]*fd77::2.*spared6 {[^}]*fd77::3/s.test(
          await host.tool('nft', 'list', 'table', family, table),
        ),
      )
      // The second was spared before and stays so; the third is spared although it is named.
      expect(await surprises(host.near, tries, ['first', 'first6', 'other'])).toEqual({})
      expect([...following.addresses].toSorted()).toEqual(
        [far.first, far.second, far.third, far.otherWire, far.first6].toSorted(),
      )
    } finally {
      following.close()
      await gate.close()
      await traffic.observer?.close()
    }
  })

  it('is looked up by the command as by the target, and the report has its addresses', async () => {
    await host.far.names({ 'api.example': { a: [far.first], aaaa: [far.first6] } })
    const attack = await startAttack(host, 'blackhole', ['-l', '60', '-h', 'api.example,db'])
    expect(await surprises(host.near, tries, ['first', 'first6', 'third'])).toEqual({})
    expect((await halt(attack)).output).toContain(
      `Addresses hit: ${far.first}, ${far.first6}, ${far.third}, fe80::9.`,
    )
  })

  it('that no server tells fails the execution, which names it', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'temblor-names-'))
    const before = await host.state()
    const attack = host.temblor(
      ['attack', 'blackhole', '-l', '5', '-h', 'gone.example', '--json'],
      {
        env: { TEMBLOR_AGENT_DIR: stateDir },
      },
    )
    const gone = await attack.ended
    rmSync(stateDir, { recursive: true })
    expect(gone.code).not.toBe(0)
    expect(resultOf(gone)).toMatchObject({
      reason: 'unsupported',
      output: '-h/--hostname gone.example has no address where the target looks names up.',
    })
    expect(await host.state()).toEqual(before)
  })
})
