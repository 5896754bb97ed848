import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { acceptAddressesAtOnce, untilSettled } from '../support/settled-addresses.ts'

const run = promisify(execFile)
const traffic = fileURLToPath(new URL('network-traffic.ts', import.meta.url))
const ip = (...args: string[]) => run('ip', args)
let made = 0

/** A process that makes traffic, and the lines it says. */
export interface Traffic {
  readonly child: ChildProcess
  /** The next line it says. @throws when it ends without one */
  next(): Promise<Record<string, never>>
}

/**
 * Two network namespaces joined by a cable. The near one has a table of nft in which packets from
 * the far one's address go to the chain `delay`; those from its other address do not.
 */
export interface NamespacePair extends AsyncDisposable {
  /** The near namespace, where packets are delayed. */
  readonly path: string
  /** For `ip netns exec`. */
  readonly names: Readonly<Record<'near' | 'far', string>>
  readonly table: string
  readonly chosen: string
  readonly chosen6: string
  readonly untouched: string
  /** Runs `network-traffic.ts` in the near or the far namespace. */
  start(side: 'near' | 'far', ...args: readonly (string | number)[]): Traffic
  /** Runs it in the near namespace until it says what it saw. */
  see<T>(...args: readonly (string | number)[]): Promise<T>
  /** UDP packets for the counter that came out of the delay so far. */
  counted(): Promise<number>
  /** The table as nft shows it. */
  listTable(): Promise<string>
}

export async function namespacePair(): Promise<NamespacePair> {
  const name = `temblor-${process.pid}-${made++}`
  const [near, far] = [`${name}-a`, `${name}-b`]
  const table = `temblor_${process.pid.toString(16).padStart(8, '0')}`
  const children = new Set<ChildProcess>()
  const nft = async (...args: string[]) =>
    (await run('ip', ['netns', 'exec', near, 'nft', ...args])).stdout
  for (const namespace of [near, far]) {
    await ip('netns', 'add', namespace)
    await acceptAddressesAtOnce(namespace)
  }
  const peer = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', far]
  // From inside: this machine has an eth0 too, which some kernels would call the same.
  await ip('-n', near, 'link', 'add', 'eth0', ...peer)
  const addresses = {
    [near]: ['10.99.0.1', 'fd99::1'],
    [far]: ['10.99.0.2', '10.99.0.3', 'fd99::2'],
  }
  for (const [namespace, list] of Object.entries(addresses)) {
    for (const address of list) {
      const block = address.includes(':') ? [`${address}/64`, 'nodad'] : [`${address}/24`]
      await ip('-n', namespace, 'address', 'add', ...block, 'dev', 'eth0')
    }
    for (const device of ['lo', 'eth0']) await ip('-n', namespace, 'link', 'set', device, 'up')
  }
  for (const namespace of [near, far]) await untilSettled(namespace, 'eth0')
  await nft(rules(table))

  const start: NamespacePair['start'] = (side, ...args) => {
    const namespace = side === 'near' ? near : far
    const command = ['netns', 'exec', namespace, process.execPath, traffic, ...args.map(String)]
    const child = spawn('ip', command, { stdio: ['pipe', 'pipe', 'inherit'] })
    children.add(child)
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    return {
      child,
      async next() {
        const { value, done } = await lines.next()
        if (done) throw new Error(`${args.join(' ')} ended without a word`)
        return JSON.parse(value as string) as Record<string, never>
      },
    }
  }
  await start('far', 'serve').next()
  return {
    path: `/run/netns/${near}`,
    names: { near, far },
    table,
    chosen: '10.99.0.2',
    chosen6: 'fd99::2',
    untouched: '10.99.0.3',
    start,
    see: async <T>(...args: readonly (string | number)[]) =>
      (await start('near', ...args).next()) as T,
    async counted() {
      const text = await nft('-j', 'list', 'counter', 'inet', table, 'counted')
      return Number(/"packets": (\d+)/.exec(text)?.[1])
    },
    listTable: () => nft('list', 'table', 'inet', table),
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL')
      // The cable goes with either end.
      for (const namespace of [near, far]) await ip('netns', 'delete', namespace)
    },
  }
}

function rules(table: string): string {
  return `table inet ${table} {
    counter counted { }
    chain delay { }
    chain before {
      type filter hook prerouting priority raw; policy accept;
      ip saddr 10.99.0.2 goto delay
      ip6 saddr fd99::2 meta l4proto { tcp, udp } goto delay
    }
    chain after {
      type filter hook input priority filter; policy accept;
      udp dport 9002 counter name counted
    }
  }`
}
