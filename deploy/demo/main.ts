import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processIo, type CliIo } from '../../agent/cli/output/io.ts'
import { createApiClient, type ApiClient } from '../../shared/api/client.ts'
import { listActiveClients } from '../../shared/api/clients.ts'
import { listContainers } from '../../shared/api/containers.ts'
import { login, sessionsOf } from '../../shared/api/sessions.ts'
import { killChildren } from '../local/child-process.ts'
import { openDataDir } from '../local/data-dir.ts'
import { onEndSignals } from '../local/signals.ts'
import { type Stack, startStack } from '../local/stack.ts'
import { runObserved, type AttackResult } from './attack.ts'
import { hostIdleMs, processesWithArgument } from './cpu-counters.ts'
import { type DemoTargets, startTargets } from './targets.ts'
import { bystandersOf, rowsOf, strayEffects, tableOf } from './verdict.ts'

const lengthSeconds = 10
const hostPercentWished = 25
const containerPercent = 50
const appearMs = 20_000

const io = processIo()
const interrupt = new AbortController()
const forget = onEndSignals(
  () => interrupt.abort(),
  () => process.exit(130),
)
const startedAt = performance.now()
process.exitCode = await demo(io, interrupt.signal).catch((error: unknown) => {
  io.say(interrupt.signal.aborted ? 'Interrupted.' : `The demo failed: ${(error as Error).message}`)
  return interrupt.signal.aborted ? 130 : 1
})
forget()
killChildren()
process.exit()

/** Runs the whole main job once. Resolves to 0 only when everything was as it was asked. */
async function demo(talk: CliIo, signal: AbortSignal): Promise<number> {
  const dir = mkdtempSync(path.join(tmpdir(), 'temblor-demo-'))
  const made: { targets?: DemoTargets; stack?: Stack } = {}
  const results: AttackResult[] = []
  let problems: string[] = []
  try {
    talk.say('Starting three containers with half a core each, Redis, a controller and an agent …')
    made.targets = await startTargets()
    made.stack = await startStack(stackOptions(dir, talk))
    problems = await attackBoth(made.stack, made.targets, results, talk, signal)
  } finally {
    talk.say('Cleaning up …')
    await made.stack?.stop()
    const left = (await made.targets?.remove()) ?? []
    rmSync(dir, { recursive: true, force: true })
    const ids = results.flatMap((result) => result.executions.map((execution) => execution.guid))
    const burners = ids.flatMap(processesWithArgument).map((pid) => `process ${pid}`)
    problems.push(...[...left, ...burners].map((what) => `${what} was left behind`))
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  if (problems.length === 0) {
    talk.print(`\nEverything was as asked, and nothing is left behind (${seconds} s).`)
    return 0
  }
  talk.print(`\nNot everything was as asked (${seconds} s):`)
  for (const problem of problems) talk.print(`  ${problem}`)
  return 1
}

function stackOptions(dir: string, talk: CliIo): Parameters<typeof startStack>[0] {
  return {
    dataDir: openDataDir(dir),
    listen: '127.0.0.1',
    grpcListen: '127.0.0.1',
    isTls: false,
    // The demo is closed in itself, whatever a service on this machine is set to.
    controllerEnv: { TEMBLOR_TLS_CERT: '', TEMBLOR_TLS_KEY: '', TEMBLOR_PUBLIC_URL: '' },
    httpPort: 0,
    grpcPort: 0,
    company: 'Demo',
    team: 'Demo',
    ownerEmail: 'owner@demo.local',
    say: (line) => talk.say(line),
  }
}

async function attackBoth(
  stack: Stack,
  { targets, label }: DemoTargets,
  results: AttackResult[],
  talk: CliIo,
  signal: AbortSignal,
): Promise<string[]> {
  const api = await signIn(stack)
  await untilSeen(api, stack, targets.length, signal)
  const context = { api, io: talk, signal, targets }
  const percent = await fittingPercent()
  const hostArgs = ['-l', String(lengthSeconds), '-a', '-p', String(percent)]
  talk.say(`\nAttack 1: cpu ${hostArgs.join(' ')} on this host, ${stack.agent.identifier}`)
  results.push(
    await runObserved(context, {
      command: { type: 'cpu', args: hostArgs },
      target: { type: 'Exact', exact: [stack.agent.identifier] },
    }),
  )
  const args = ['-l', String(lengthSeconds), '-p', String(containerPercent)]
  const [[key, value] = ['', '']] = Object.entries(label)
  talk.say(`\nAttack 2: cpu ${args.join(' ')} on the containers with label ${key}=${value}`)
  results.push(
    await runObserved(context, {
      command: { type: 'cpu', args },
      target: { type: 'Random' },
      labels: { ...label },
    }),
  )
  const rows = results.flatMap((result) => rowsOf(result, targets, availableParallelism()))
  talk.print('')
  talk.print(tableOf(rows, bystandersOf(results, targets)).join('\n'))
  talk.print(
    'Percentages are of the target’s own capacity. GONE AFTER counts from the end that was asked for.',
  )
  const wanted = targets.filter((target) => target.isLabelled).length
  const hit = results[1]?.executions.length ?? 0
  return [
    ...rows.flatMap((row) => row.problems.map((problem) => `${row.name}: ${problem}`)),
    ...results.flatMap((result) => strayEffects(result, targets)),
    ...(hit === wanted ? [] : [`${hit} containers were attacked, ${wanted} carry the label`]),
  ]
}

async function signIn(stack: Stack): Promise<ApiClient> {
  const { email, password } = stack.first.owner
  const answer = await createApiClient({ baseUrl: stack.baseUrl }).call(login, {
    body: { email, password: password ?? '' },
  })
  const [session] = sessionsOf(answer)
  if (!session) throw new Error('The login gave no session.')
  return createApiClient({ baseUrl: stack.baseUrl, authorization: session.header })
}

/** The agent is there as soon as it has said hello; its containers come with it or right after. */
async function untilSeen(
  api: ApiClient,
  stack: Stack,
  containers: number,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + appearMs
  while (Date.now() < deadline) {
    signal.throwIfAborted()
    const clients = await api.call(listActiveClients)
    const seen = await api.call(listContainers)
    const mine = seen.filter((one) => one.name.includes(`temblor-demo-${process.pid}-`))
    const isThere = clients.some((client) => client.identifier === stack.agent.identifier)
    if (isThere && mine.length === containers) return
    await sleep(100)
  }
  throw new Error(`The agent and its ${containers} containers did not appear within 20 s.`)
}

/** What is asked of the host must fit into the CPU that is free on it just now. */
async function fittingPercent(): Promise<number> {
  const [idleBefore, before] = [hostIdleMs(), performance.now()]
  await sleep(1000)
  const idleCores = (hostIdleMs() - idleBefore) / (performance.now() - before)
  const freePercent = (100 * idleCores) / availableParallelism()
  return Math.max(5, Math.min(hostPercentWished, Math.floor((0.6 * freePercent) / 5) * 5))
}
