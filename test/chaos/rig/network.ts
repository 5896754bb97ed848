import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tool } from '../../support/guest/tool.ts'
import type { Direction, Relay } from './relay.ts'

/** Tells the process in the middle of a network which one it is. */
const tagKey = 'TEMBLOR_CHAOS_NETWORK'

/** Controllers and hosts in network namespaces of their own, each with a cable to the one in the middle. */
export interface Network {
  /** The arguments that run a program where this part is. */
  inside(part: string): readonly string[]
  /** Of the part itself. */
  addressOf(part: string): string
  /** Under which the part reaches the middle. */
  middleOf(part: string): string
  /** Loses every packet of this way without a word. */
  lose(relay: Relay, direction: Direction): Promise<void>
  restore(relay: Relay): Promise<void>
}

/** The network in whose middle this process is; undefined when it is in none. */
export async function ownNetwork(parts: readonly string[]): Promise<Network | undefined> {
  const tag = process.env[tagKey]
  if (tag === undefined) return undefined
  await tool('nft', ['-f', '-'], { input: rules })
  return {
    inside: (part) => ['nsenter', `--net=/run/netns/${namespaceOf(tag, part)}`, '--'],
    addressOf: (part) => addressOf(parts, part, 2),
    middleOf: (part) => addressOf(parts, part, 1),
    async lose(relay, direction) {
      if (direction !== 'down') await change('add', 'up', relay)
      if (direction !== 'up') await change('add', 'down', relay)
    },
    async restore(relay) {
      // What was not lost is not there to be taken out.
      for (const set of ['up', 'down'] as const)
        await change('delete', set, relay).catch(() => undefined)
    },
  }
}

/** Whether this process is in the middle of a network already. */
export function isInNetwork(): boolean {
  return process.env[tagKey] !== undefined
}

async function change(verb: 'add' | 'delete', set: 'up' | 'down', { port }: Relay): Promise<void> {
  await tool('nft', [verb, 'element', 'inet', 'chaos', set, `{ ${port} }`])
}

/** Makes the network, and runs this program once more in its middle. @returns its exit code */
export async function runInNetwork(parts: readonly string[]): Promise<number> {
  const tag = `tc${process.pid.toString(36)}`
  const made: string[] = []
  try {
    for (const part of ['middle', ...parts]) {
      await tool('ip', ['netns', 'add', namespaceOf(tag, part)])
      made.push(namespaceOf(tag, part))
      await tool('ip', ['-n', namespaceOf(tag, part), 'link', 'set', 'lo', 'up'])
      if (part !== 'middle') await connect(tag, parts, part)
    }
    const enter = [`--net=/run/netns/${namespaceOf(tag, 'middle')}`, '--', process.execPath]
    const child = spawn('nsenter', [...enter, ...process.argv.slice(1)], {
      stdio: 'inherit',
      env: { ...process.env, [tagKey]: tag },
    })
    // Whoever ends us ends it, so that the namespaces are removed.
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => child.kill(signal))
    const [code] = (await once(child, 'exit')) as [number | null]
    return code ?? 1
  } finally {
    for (const namespace of made) await tool('ip', ['netns', 'delete', namespace])
  }
}

async function connect(tag: string, parts: readonly string[], part: string): Promise<void> {
  const [near, far] = [namespaceOf(tag, 'middle'), namespaceOf(tag, part)]
  const port = `port${parts.indexOf(part)}`
  const peer = ['type', 'veth', 'peer', 'name', port, 'netns', near]
  await tool('ip', ['-n', far, 'link', 'add', 'eth0', ...peer])
  for (const [namespace, device, number] of [
    [far, 'eth0', 2],
    [near, port, 1],
  ] as const) {
    const address = `${addressOf(parts, part, number)}/24`
    await tool('ip', ['-n', namespace, 'address', 'add', address, 'dev', device])
    await tool('ip', ['-n', namespace, 'link', 'set', device, 'up'])
  }
}

function namespaceOf(tag: string, part: string): string {
  return `${tag}-${part}`
}

function addressOf(parts: readonly string[], part: string, number: number): string {
  return `10.78.${parts.indexOf(part)}.${number}`
}

/** Each way has a port of its own in the middle. */
const rules = `table inet chaos {
  set up { type inet_service; }
  set down { type inet_service; }
  chain in { type filter hook input priority 0; tcp dport @up drop; }
  chain out { type filter hook output priority 0; tcp sport @down drop; }
}
`
