import { parseArgs } from 'node:util'
import { formatTable } from '../../agent/cli/output/table.ts'
import { killChildren } from '../../deploy/local/child-process.ts'
import { onEndSignals } from '../../deploy/local/signals.ts'
import { measureAgent } from './agent-footprint.ts'
import { measureApi } from './api-throughput.ts'
import { measureCpu } from './cpu-accuracy.ts'
import { measureDispatch } from './dispatch.ts'
import { measureFleet, measureFleetTls } from './fleet.ts'
import type { BenchContext, Group, Table } from './group.ts'
import { measureLatency } from './latency.ts'
import { describeMachine, loadAverage, watchForeignCpu } from './machine.ts'
import { measureLogins } from './logins.ts'
import { measureNetem } from './network-guest.ts'
import { measureNetwork } from './network-namespaces.ts'
import { measureSaml } from './saml.ts'
import { measureStorage } from './storage.ts'
import { measureTargeting } from './targeting.ts'
import { type Rig, startRig } from './rig.ts'

/**
 * `npm run bench [-- [--quick] [--agents <n>] [group …]]`: tables of figures, each beside its floor in the same run.
 * Nothing here judges a time; it ends with 1 only when something could not be measured.
 */
const groups: Record<string, Group> = {
  cpu: measureCpu,
  latency: measureLatency,
  agent: measureAgent,
  api: measureApi,
  logins: measureLogins,
  saml: measureSaml,
  storage: measureStorage,
  targeting: measureTargeting,
  network: measureNetwork,
  netem: measureNetem,
  dispatch: measureDispatch,
  fleet: measureFleet,
  'fleet-tls': measureFleetTls,
}
const print = (line: string) => void process.stdout.write(`${line}\n`)
const say = (line: string) => void process.stderr.write(`${line}\n`)

const interrupt = new AbortController()
const forget = onEndSignals(
  () => interrupt.abort(),
  () => process.exit(130),
)
process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  say(interrupt.signal.aborted ? 'Interrupted.' : `The bench failed: ${(error as Error).message}`)
  return interrupt.signal.aborted ? 130 : 1
})
forget()
killChildren()
process.exit()

async function main(args: readonly string[]): Promise<number> {
  const wanted = readArgs(args)
  if (typeof wanted === 'string') {
    say(
      `${wanted}\nusage: npm run bench [-- [--quick] [--agents <1 to 10000>] [${Object.keys(groups).join('|')}] …]`,
    )
    return 2
  }
  const startedAt = performance.now()
  const foreign = watchForeignCpu()
  print(`Machine: ${describeMachine()}`)
  print(`${new Date().toISOString()}${wanted.isQuick ? ', quick' : ''}. Load ${loadAverage()}.`)
  const missing = await runGroups(wanted)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  const others = foreign()
  print(
    `\nLoad at the end ${loadAverage()}; others used ${others.cores.toFixed(2)} cores meanwhile.`,
  )
  for (const what of missing) print(`Not measured: ${what}`)
  print(
    `${missing.length === 0 ? 'Everything was measured' : 'Not everything was measured'} (${seconds} s).`,
  )
  return missing.length === 0 ? 0 : 1
}

interface Wanted {
  readonly names: readonly string[]
  readonly isQuick: boolean
  readonly agents: number
}

function readArgs(args: readonly string[]): Wanted | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { quick: { type: 'boolean', default: false }, agents: { type: 'string' } },
      allowPositionals: true,
    })
    const unknown = positionals.find((name) => !Object.hasOwn(groups, name))
    if (unknown !== undefined) return `There is no group "${unknown}".`
    const agents = Number(values.agents ?? (values.quick ? 1_000 : 10_000))
    if (!Number.isInteger(agents) || agents < 1 || agents > 10_000)
      return `--agents cannot be "${values.agents}".`
    return {
      agents,
      names: positionals.length > 0 ? [...new Set(positionals)] : Object.keys(groups),
      isQuick: values.quick,
    }
  } catch (error) {
    return (error as Error).message
  }
}

/** Runs one group after the other on one rig. Resolves to what could not be measured. */
async function runGroups({ names, isQuick, agents }: Wanted): Promise<string[]> {
  let rig: Promise<Rig> | undefined
  const { signal } = interrupt
  const started = () => (rig ??= startRig(say))
  const context: BenchContext = { isQuick, agents, signal, say, rig: started }
  const missing: string[] = []
  try {
    for (const name of names) {
      signal.throwIfAborted()
      say(`\n${name} …`)
      try {
        const tables = [await (groups[name] as Group)(context)].flat()
        for (const table of tables) show(table)
        missing.push(...tables.flatMap((one) => one.missing.map((what) => `${name}: ${what}`)))
      } catch (error) {
        signal.throwIfAborted()
        missing.push(`${name}: ${(error as Error).message}`)
      }
    }
  } finally {
    const last = await rig?.catch(() => undefined)
    for (const what of (await last?.close()) ?? []) missing.push(`${what} was left behind`)
  }
  return missing
}

function show(table: Table): void {
  print(`\n${table.title}`)
  for (const line of formatTable(table.rows)) print(line)
  for (const note of table.notes) print(`  ${note}`)
}
