import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blackhole } from '../../agent/faults/blackhole.ts'
import type { ContainerTarget, Endpoint, FaultContext } from '../../agent/faults/fault.ts'
import { identify } from '../../agent/host/processes.ts'
import { parseArgs } from '../../shared/attacks/args.ts'
import type { AttackType } from '../../shared/attacks/define.ts'
import { findAttackType } from '../../shared/attacks/index.ts'
import type { Effect } from '../../shared/effect.ts'
import type { Gone, HostProcess, NetworkHost, Peer } from './network-host.ts'
import type { Outcome, Try } from './network-peer.ts'

/** What the CLI says of an attack that is over. */
export interface AttackResult {
  readonly reason: string
  readonly stage: string
  readonly output: string
  readonly backend: string | null
  readonly measured: Effect | null
}

/** Starts an attack on the host by its CLI; resolves when the fault is there. */
export async function startAttack(
  host: NetworkHost,
  type: string,
  args: readonly string[],
): Promise<HostProcess> {
  const attack = host.temblor(['attack', type, ...args, '--json'])
  await attack.saw(/: Running/)
  return attack
}

/** Halts it as Ctrl-C does, and gives what it says at its end. */
export async function halt(attack: HostProcess): Promise<AttackResult> {
  attack.child.kill('SIGINT')
  return resultOf(await attack.ended)
}

/** @throws Error with what it said instead */
export function resultOf({ stdout, stderr }: Gone): AttackResult {
  if (!stdout) throw new Error(`The attack ended without a result:\n${stderr}`)
  return JSON.parse(stdout) as AttackResult
}

/**
 * Blackholes traffic of the host for as long as `look` takes, without a process of the agent's own:
 * the host's network is entered as that of a container is.
 */
export async function blackholed<T>(
  host: NetworkHost,
  flags: readonly string[],
  look: () => Promise<T>,
  controlPlane: readonly Endpoint[] = [],
): Promise<T> {
  const params = parseArgs(findAttackType('blackhole') as AttackType, ['-l', '60', ...flags])
  const context = contextOf(controlPlane)
  const prepared = await blackhole.prepare(params, targetOf(host), context)
  const handle = await prepared.start()
  try {
    return await look()
  } finally {
    await handle.stop()
    for (const record of prepared.undo.toReversed()) await blackhole.undo(record)
  }
}

/** The host's network, as that of a container whose first process is the near peer. */
export function targetOf({ near, name }: NetworkHost): ContainerTarget {
  const init = identify(near.pid)
  if (!init) throw new Error('The near peer is gone.')
  return { kind: 'Container', id: name, name, startedAt: '', init }
}

export function contextOf(controlPlane: readonly Endpoint[] = []): FaultContext {
  return {
    instanceId: randomUUID(),
    executionId: randomUUID(),
    attackId: randomUUID(),
    remainingMs: 60_000,
    signal: new AbortController().signal,
    controlPlane: () => Promise.resolve(controlPlane),
  }
}

type Tries = Readonly<Record<string, Omit<Try, 'withinMs'>>>

/** What should be silent is given this long; silence is seen by waiting. */
export const silentMs = 300
/** All else is given as long as it takes on a busy machine. */
export const answerMs = 10_000

/** What came of each try that did not come out as it should: `silent` for these, else `answered`. */
export async function surprises(
  peer: Peer,
  tries: Tries,
  silent: readonly string[],
): Promise<Record<string, Outcome>> {
  const pick = (isSilent: boolean) =>
    Object.fromEntries(Object.entries(tries).filter(([name]) => silent.includes(name) === isSilent))
  const [quiet, loud] = await Promise.all([
    peer.attempt(pick(true), silentMs),
    peer.attempt(pick(false), answerMs),
  ])
  const isWrong = ([name, outcome]: [string, Outcome]) =>
    outcome !== (silent.includes(name) ? 'silent' : 'answered')
  return Object.fromEntries(Object.entries({ ...quiet, ...loud }).filter(isWrong))
}

/** The host belongs to a team whose controller is at this address. */
export function joinHost(host: NetworkHost, address: string): void {
  const path = join(host.stateDir, 'credentials.json')
  writeFileSync(path, JSON.stringify({ address, teamId: 'team' }), { mode: 0o600 })
}
