import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSameState } from '../support/host-state.ts'
import { resultOf, type AttackResult } from '../support/network-attack.ts'
import { networkHost, type NetworkHost } from '../support/network-host.ts'

const nobody = 65_534
let host: NetworkHost
beforeAll(async () => {
  host = await networkHost({ 'resolv.conf': 'nameserver 127.0.0.1\n' })
})
afterAll(() => host[Symbol.asyncDispose]())

/** Tries an attack that is refused, and sees that nothing has changed. */
async function refused(
  flags: readonly string[],
  options: { owner?: number; through?: readonly string[] } = {},
): Promise<{
  code: number | null
  stderr: string
  result: AttackResult | undefined
}> {
  const stateDir = mkdtempSync(join(tmpdir(), 'temblor-refused-'))
  chownSync(stateDir, options.owner ?? 0, options.owner ?? 0)
  const before = await host.state()
  const attack = host.temblor(['attack', 'blackhole', '-l', '30', ...flags, '--json'], {
    env: { TEMBLOR_AGENT_DIR: stateDir },
    through: options.through ?? [],
  })
  const gone = await attack.ended
  rmSync(stateDir, { recursive: true })
  expectSameState(before, await host.state())
  const result = gone.stdout ? resultOf(gone) : undefined
  return { code: gone.code, stderr: gone.stderr, result }
}

/** Hides the folder of nft and its kind from a command, in a mount namespace of its own. */
const withoutNft = [
  'unshare',
  '--mount',
  '--',
  process.execPath,
  '-e',
  `const { execFileSync, spawnSync } = require('node:child_process')
   const [program, ...args] = process.argv.slice(1)
   execFileSync('mount', ['-t', 'tmpfs', 'none', '/usr/sbin'])
   process.exitCode = spawnSync(program, args, { stdio: 'inherit' }).status`,
]
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']

describe('a blackhole that cannot be is refused before anything is done', () => {
  it.each<[string, string[], Parameters<typeof refused>[1], RegExp]>([
    [
      'a device that is not there',
      ['-d', 'eth7'],
      {},
      /^-d\/--device: there is no network device eth7\. There are: lo, eth0, eth1\.$/,
    ],
    [
      'a name server that does not answer',
      ['-h', 'db.example'],
      {},
      /^-h\/--hostname db\.example cannot be looked up where the target looks names up: .*ECONNREFUSED/,
    ],
    ['loopback by its address', ['-i', '127.0.0.1'], {}, /hit only with -d lo\.$/],
    [
      'no nft',
      [],
      { through: withoutNft },
      /^This host cannot do it: The program nft is not installed: install the package nftables\.$/,
    ],
    ['not root', [], { through: asNobody, owner: nobody }, /^This host cannot do it: not root\.$/],
  ])('%s', async (_, flags, options, message) => {
    const { code, result, stderr } = await refused(flags, options)
    expect([code, stderr]).not.toEqual([0, ''])
    expect(result).toMatchObject({ reason: 'unsupported', measured: null })
    expect(result?.output).toMatch(message)
  })

  it('arguments that are none, or are meant for a shell or for nft', async () => {
    const before = await host.state()
    const wrong: [string, string][] = [
      ['-d', 'eth0"; flush ruleset; #'],
      ['-d', '$(reboot)'],
      ['-i', '10.0.0.1 } ; drop'],
      ['-i', '10.0.0.256'],
      ['-h', 'db;reboot'],
      ['-p', '80 } counter'],
      ['-P', 'tcp,esp'],
    ]
    const tries = wrong.map(async ([flag, value]) => {
      const attack = host.temblor(['attack', 'blackhole', '-l', '30', flag, value, '--json'])
      const { code, stderr, stdout } = await attack.ended
      return { code, stdout, isNamed: stderr.includes(`${flag}/--`) }
    })
    const expected = { code: 2, stdout: '', isNamed: true }
    expect(await Promise.all(tries)).toEqual(wrong.map(() => expected))
    expectSameState(before, await host.state())
  })
})
