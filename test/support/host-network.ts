import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { readFileSync } from 'node:fs'

const run = promisify(execFile)
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** What changes by itself, and says nothing about what somebody did. */
const volatile = new Set(
  'valid_life_time preferred_life_time expires used age hello_timer tcn_timer topology_change_timer gc_timer message_age_timer forward_delay_timer hold_timer'.split(
    ' ',
  ),
)

/** Some queues list the flows that pass just now as classes. */
const flow = /: class (fq_codel|fq_pie|cake|sfq) /

/** Devices, addresses, routes, queues, filters and firewall rules of this network namespace. */
export async function captureNetwork(): Promise<Record<string, string[]>> {
  const devices = await objects('ip', '-j', '-d', 'link', 'show')
  const names = devices.map(({ ifname }) => String(ifname))
  const queues = (await lines('tc', 'qdisc', 'show')).map(withoutCounter)
  const routes = ['-4', '-6'].map((family) =>
    objects('ip', '-j', '-d', family, 'route', 'show', 'table', 'all'),
  )
  const rules = ['-4', '-6'].map((family) => objects('ip', '-j', '-d', family, 'rule', 'show'))
  return {
    devices: devices.map(canonical),
    addresses: (await objects('ip', '-j', 'address', 'show')).map(canonical),
    routes: (await Promise.all(routes)).flat().map(canonical).sort(),
    'ip rules': (await Promise.all(rules)).flat().map(canonical),
    queues,
    'queue classes': (await Promise.all(names.map((name) => perDevice('class', name))))
      .flat()
      .filter((line) => !flow.test(line)),
    filters: (await Promise.all(names.map((name) => filtersOf(name, queues)))).flat(),
    nft: await lines('nft', '-s', 'list', 'ruleset'),
    iptables: [
      ...(await xtables('iptables')),
      ...(await xtables('ip6tables')),
      ...(await xtables('arptables')),
      ...(await xtables('ebtables')),
    ],
  }
}

/** htb counts what passes its classes by, and shows that among its settings. */
function withoutCounter(queue: string): string {
  return queue.replace(/ direct_packets_stat \d+/, '')
}

async function perDevice(what: string, device: string, ...where: string[]): Promise<string[]> {
  const place = [device, ...where].join(' ')
  // A place that this device does not have has none.
  const found = await lines('tc', what, 'show', 'dev', device, ...where).catch(() => [])
  return found.map((line) => `${place}: ${line}`)
}

/** Filters hang on queues and on classes; those of clsact have places with names. */
async function filtersOf(device: string, queues: readonly string[]): Promise<string[]> {
  const handles = queues
    .filter((line) => line.includes(` dev ${device} `))
    .map((line) => line.split(' ')[2] ?? '')
    .filter((handle) => handle !== '0:')
  const places = [['ingress'], ['egress'], ...handles.map((handle) => ['parent', handle])]
  const found = await Promise.all(places.map((place) => perDevice('filter', device, ...place)))
  return found.flat()
}

/** Rules that were made by iptables and its kin, in both of its forms, without counters. */
async function xtables(program: string): Promise<string[]> {
  const found: string[] = []
  for (const kind of ['', '-legacy']) {
    const command = program + kind
    // The old form loads modules when it is asked; only where it is in use.
    if (kind === '-legacy' && legacyTables(program).length === 0) continue
    const text = await lines(`${command}-save`).catch(() => [])
    found.push(
      ...text
        .filter((line) => !line.startsWith('#'))
        .map((line) => `${command}: ${line.replace(/\[\d+:\d+\]/, '')}`),
    )
  }
  return [...found, ...legacyTables(program).map((table) => `${program} has the table ${table}`)]
}

function legacyTables(program: string): string[] {
  const names: Record<string, string> = {
    iptables: 'ip_tables_names',
    ip6tables: 'ip6_tables_names',
    arptables: 'arp_tables_names',
  }
  try {
    return readFileSync(`/proc/self/net/${names[program]}`, 'utf8')
      .trim()
      .split('\n')
      .filter(Boolean)
  } catch {
    return []
  }
}

async function objects(program: string, ...args: string[]): Promise<Record<string, unknown>[]> {
  const text = (await output(program, args)).trim()
  return JSON.parse(text || '[]') as Record<string, unknown>[]
}

async function lines(program: string, ...args: string[]): Promise<string[]> {
  return (await output(program, args)).split('\n').filter((line) => line.trim() !== '')
}

async function output(program: string, args: readonly string[]): Promise<string> {
  const options = { env: { PATH: path, LC_ALL: 'C' }, maxBuffer: 64 * 1024 * 1024 }
  return (await run(program, [...args], options)).stdout
}

/** One spelling for equal things, without what is volatile. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (volatile.has(key)) return undefined
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
