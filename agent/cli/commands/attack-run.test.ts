import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { flagName, paramSpecs } from '../../../shared/attacks/args.ts'
import type { AttackType } from '../../../shared/attacks/define.ts'
import { attackTypeNames, findAttackType } from '../../../shared/attacks/index.ts'
import { main } from '../main.ts'
import { fakeIo, type FakeIo } from '../output/fake-io.ts'

let server: Server
let io: FakeIo
let commands: { type: string; args: string[] }[]

beforeEach(async () => {
  commands = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      commands.push((JSON.parse(body) as { command: (typeof commands)[number] }).command)
      response.writeHead(201).end('an-id')
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  io = fakeIo({ TEMBLOR_URL: `http://127.0.0.1:${port}`, TEMBLOR_TOKEN: 'x' })
})
afterEach(() => server.close())

/** Runs an attack and gives the arguments that the controller was sent. */
async function sent(type: string, ...flags: string[]): Promise<string[] | undefined> {
  expect(await main(['attack', 'run', type, ...flags, '--random', '--detach'], io)).toBe(0)
  expect(io.err).toEqual([])
  expect(commands).toMatchObject([{ type }])
  return commands[0]?.args
}

async function helpOf(...args: string[]): Promise<string> {
  expect(await main([...args, '--help'], io)).toBe(0)
  return io.out.join('\n')
}

describe('attack run sends the flags of the type as they were given', () => {
  test.each<[string, string, string]>([
    ['latency', '', ''],
    [
      'latency',
      '-h db.example.com -d eth0 -p ^53 -s 8080',
      '--device eth0 --hostname db.example.com --egress-port ^53 --src-port 8080',
    ],
    ['latency', '-m 250 -l30', '--length 30 --ms 250'],
    [
      'latency',
      '-i 10.0.0.0/8,^10.0.0.5 -i ::1',
      '--ipaddress 10.0.0.0/8,^10.0.0.5 --ipaddress ::1',
    ],
    ['latency', '-hdb -p=80 -P^ICMP', '--hostname db --egress-port 80 --ipprotocol ^ICMP'],
    ['latency', '-p 80 --egress_port=443', '--egress-port 80 --egress-port 443'],
    ['latency', '--src_port 80-90', '--src-port 80-90'],
    ['blackhole', '-n 8080 --ingress_port 9090', '--ingress-port 8080 --ingress-port 9090'],
    ['shutdown', '', ''],
    ['shutdown', '-r -d 0', '--delay 0 --reboot'],
    ['shutdown', '--crash -d0', '--delay 0 --crash'],
    ['cpu', '--all_cores -p=5', '--all-cores --percent 5'],
  ])('%s %s', async (type, flags, args) => {
    expect(await sent(type, ...flags.split(' ').filter(Boolean))).toEqual(
      args.split(' ').filter(Boolean),
    )
  })

  test.each(['-E', '--no-derived-exclusion-rules', '--no_derived_exclusion_rules'])(
    '%s, whose name begins with "no", is sent when it is given',
    async (flag) => {
      expect(await sent('latency', flag)).toEqual(['--no-derived-exclusion-rules'])
    },
  )
})

describe('what cannot be meant is said before anything is sent', () => {
  test.each<[string, string[], string]>([
    ['latency', ['-h', '10.0.0.1'], '-h/--hostname cannot be "10.0.0.1"'],
    ['latency', ['-h', '10.0.0.1'], 'addresses are given with -i/--ipaddress'],
    ['latency', ['-i', 'db.example.com'], '-i/--ipaddress cannot be "db.example.com"'],
    ['latency', ['-p', '80,,443'], '-p/--egress-port cannot be ""'],
    ['latency', ['-h', '-p', '80'], '-h/--hostname needs a value'],
    ['latency', ['-d', 'eth0; drop'], '-d/--device cannot be "eth0; drop"'],
    ['latency', ['-d', '\u001B[2Jeth0'], String.raw`-d/--device cannot be "\u001b[2Jeth0"`],
    ['latency', ['-P', 'ICMP', '-p', '80'], 'contradict each other'],
    ['latency', ['-m', '1', '--ms=2'], '-m/--ms is given more than once'],
    ['latency', ['--hostnam', 'db'], 'Did you mean --hostname?'],
    ['shutdown', ['-r', '--crash'], '-r/--reboot and --crash contradict each other'],
    ['shutdown', ['-l', '5'], "unknown option '-l'"],
  ])('%s %j', async (type, flags, message) => {
    expect(await main(['attack', 'run', type, ...flags, '--random'], io)).toBe(2)
    expect(io.err.join('\n')).toContain(message)
    expect(commands).toEqual([])
  })

  test.each<[string[], string]>([
    [['latency', '-h', '10.0.0.1'], '-h/--hostname cannot be "10.0.0.1"'],
    [['latency', '-h'], '-h/--hostname needs a value'],
    [['latency', '-p', '70000'], '-p/--egress-port cannot be "70000"'],
    [['blackhole', '-s', '80'], 'blackhole has no flag -s'],
    [['shutdown', '-d', '1441'], '-d/--delay cannot be "1441"'],
  ])('attack %j on this host', async (args, message) => {
    expect(await main(['attack', ...args], io)).toBe(2)
    expect(await main(['attack-container', 'web', ...args], io)).toBe(2)
    expect(io.err).toEqual([
      expect.stringContaining(message) as string,
      expect.stringContaining(message) as string,
    ])
    expect(io.out).toEqual([])
  })
})

describe('help', () => {
  test.each(attackTypeNames)(
    'of %s shows each flag, on this host as through a controller',
    async (name) => {
      const type = findAttackType(name) as AttackType
      const flags = /(Flags of [^]+?)\n\n/
      const [, remote] = flags.exec(await helpOf('attack', 'run', name)) ?? []
      const [, preview] = flags.exec(await helpOf('attack', 'preview', name)) ?? []
      const [, local] = flags.exec(`${await helpOf('attack', name)}\n\n`) ?? []
      expect([preview, local]).toEqual([remote, remote])
      for (const { flag, schema } of paramSpecs(type)) {
        expect(remote).toContain(flagName(flag).replace('/', ', '))
        expect(remote?.replaceAll(/\s+/g, ' ')).toContain(`${schema.title}. ${schema.description}`)
      }
      expect(remote).not.toMatch(/--\w+_/)
      for (const line of remote?.split('\n') ?? []) expect(line.length).toBeLessThanOrEqual(80)
    },
  )

  test('says how lists are written where there are some, and gives examples that can be run', async () => {
    const latency = await helpOf('attack', 'run', 'latency')
    expect(latency).toContain('separate them by commas or repeat the flag')
    expect(latency).toContain('temblor attack run latency --length 30 --target web-1')
    io.out.length = 0
    const shutdown = await helpOf('attack', 'run', 'shutdown')
    expect(shutdown).not.toContain('commas')
    expect(shutdown).not.toContain('--length')
  })

  test('attack types shows defaults and flags without a short form as they are written', async () => {
    const offline = fakeIo({ XDG_CONFIG_HOME: '/nonexistent', HOME: '/nonexistent' })
    expect(await main(['attack', 'types', 'latency'], offline)).toBe(0)
    expect(await main(['attack', 'types', 'shutdown'], offline)).toBe(0)
    const text = offline.out.join('\n')
    expect(text).toMatch(/-h, --hostname +\^api\.gremlin\.com /)
    expect(text).toMatch(/-i, --ipaddress +all /)
    expect(text).toMatch(/^--crash +false /m)
  })
})
