import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds } from '../../agent/host/processes.ts'
import { openAuthority } from '../../controller/agents/authority.ts'
import { onEndSignals } from '../../deploy/local/signals.ts'
import { decimal, spreadOf } from '../bench/figures.ts'
import { memoryOf } from '../bench/machine.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { issueIdentities } from './identities.ts'
import { type FleetSettings, readFleetSettings, usage } from './settings.ts'
import type { VirtualAgent } from './virtual-agent.ts'

/**
 * `npm run fleet`: as many agents as one likes, in this process, against a real controller. They are
 * hosts of a team like others and are attacked like others, but nothing happens on them.
 */
const print = (line: string) => void process.stdout.write(`${line}\n`)
const say = (line: string) => void process.stderr.write(`${line}\n`)
const sayEveryMs = 2_000

const interrupt = new AbortController()
const forget = onEndSignals(
  () => interrupt.abort(),
  () => process.exit(130),
)
process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  say(`fleet: ${(error as Error).message}\n${usage}`)
  return 2
})
forget()
process.exit()

async function main(args: readonly string[]): Promise<number> {
  const settings = readFleetSettings(args, process.env)
  const { join, keyFile, agents, perSecond } = settings
  const [host = '', port = ''] = join.address.split(/:(?=\d+$)/)
  say(`Issuing ${agents} certificates …`)
  const names = { teamId: join.teamId, name: settings.name, agents }
  const identities = await issueIdentities(names, await openAuthority(keyFile))
  interrupt.signal.throwIfAborted()
  say(`Connecting to ${join.address}, ${perSecond} a second …`)
  const { containers, figuresMs } = settings
  const dialled = new Map<VirtualAgent, number>()
  const welcomeMs: number[] = []
  const fleet = startFleet({
    target: {
      host: host.replace(/^\[|\]$/g, ''),
      port: Number(port),
      caPem: keyFile.caCertificatePem,
    },
    identities,
    containers,
    figuresMs,
    perSecond,
    watch: {
      connecting: (agent) => dialled.set(agent, performance.now()),
      welcomed: (agent) => welcomeMs.push(performance.now() - (dialled.get(agent) ?? 0)),
    },
  })
  const startedAt = performance.now()
  let allAfterMs: number | undefined
  void fleet.untilConnected().then(() => (allAfterMs = performance.now() - startedAt))
  await talk(fleet, settings)
  report(fleet, agents, allAfterMs, welcomeMs)
  say('Saying goodbye …')
  await fleet.close()
  return allAfterMs === undefined ? 1 : 0
}

/** Says what is going on until the time is over. */
async function talk(fleet: Fleet, { agents, pid, seconds }: FleetSettings): Promise<void> {
  const endsAt = performance.now() + (seconds ?? Infinity) * 1000
  let last = { at: performance.now(), cpu: pid === undefined ? 0 : (cpuSeconds(pid) ?? 0) }
  while (performance.now() < endsAt && !interrupt.signal.aborted) {
    const restMs = Math.min(sayEveryMs, endsAt - performance.now())
    await sleep(Math.max(0, restMs), undefined, { signal: interrupt.signal }).catch(() => undefined)
    const { connected, attempts, runs, halts } = fleet.counts
    const running = fleet.agents.reduce((sum, agent) => sum + agent.runningCount, 0)
    let line = `${connected} of ${agents} connected, ${attempts} attempts; ${running} running, ${runs} orders, ${halts} halts`
    if (pid !== undefined) {
      const now = { at: performance.now(), cpu: cpuSeconds(pid) ?? 0 }
      const cores = (now.cpu - last.cpu) / ((now.at - last.at) / 1000)
      line += `; controller ${decimal(memoryOf(pid).rss, 0)} MB, ${decimal(cores, 2)} cores`
      last = now
    }
    say(line)
  }
}

function report(
  fleet: Fleet,
  agents: number,
  allAfterMs: number | undefined,
  welcomeMs: readonly number[],
): void {
  const { connected, attempts, losses } = fleet.counts
  const all = allAfterMs === undefined ? 'never' : `after ${decimal(allAfterMs / 1000)} s`
  print(`All ${agents} connected at once: ${all}; now ${connected}, in ${attempts} attempts.`)
  if (welcomeMs.length > 0) {
    const { p50, p99, max } = spreadOf(welcomeMs)
    const times = [p50, p99, max].map((value) => decimal(value, 0)).join(' / ')
    print(`From the first packet to the welcome: p50 / p99 / max ${times} ms.`)
  }
  for (const [why, count] of losses) print(`Lost ${count} times: ${why}`)
}
