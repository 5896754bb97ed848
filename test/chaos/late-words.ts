import { setTimeout as sleep } from 'node:timers/promises'
import { keys } from '../../controller/store/keys.ts'
import { until } from '../support/until.ts'
import type { Client } from './client.ts'
import type { Nemesis } from './nemesis.ts'
import type { LateWord, PlannedCreate } from './plan.ts'
import type { Relay } from './rig/relay.ts'
import type { Site } from './rig/site.ts'

/** A command waits three seconds for Redis: whatever is held back is let go before. */
const patienceMs = 2_500
/** How long what was held back is given to do its harm. */
const settleMs = 300
const lengthSeconds = 6

/** Parts of the service that a late word is played with. */
interface Stage {
  readonly site: Site
  readonly client: Client
  readonly nemesis: Nemesis
}

/**
 * An agent says Hello to one controller, which then hears nothing more of Redis. The agent is cut off, comes back
 * through the other one, and begins an attack. Then the first one goes on, with a Hello that does not name that
 * attack. Each step waits for the one before. @returns false where a part was not there, and nothing was said
 */
export async function sayLate(stage: Stage, word: LateWord): Promise<boolean> {
  const { site } = stage
  const relay = (part: string) => site.relays.get(part) as Relay
  const way = { agent: relay(`link:${word.host}`), late: relay(`redis-link:${word.late}`) }
  try {
    const play = word.what === 'order' ? orderAgain : concludeLate
    return await play(stage, word, way)
  } finally {
    way.late.heal()
    way.agent.heal()
    site.steer(word.host, undefined)
  }
}

interface Way {
  readonly agent: Relay
  readonly late: Relay
}

async function concludeLate(stage: Stage, word: LateWord, way: Way): Promise<boolean> {
  const { site, client, nemesis } = stage
  const { host, team, late, prompt, id } = word
  const isClaim = (bytes: Buffer) => opensSession(host, bytes)
  const arrived = way.late.seen(word.what === 'hello' ? readsTeam : isClaim, 'down')
  site.steer(host, late)
  way.agent.cut()
  way.agent.heal()
  if (!(await comes(arrived))) return false
  return await nemesis.during({ part: `redis-link:${late}`, kind: 'hold' }, async () => {
    const back = (site.relays.get(`redis-link:${prompt}`) as Relay).seen(isClaim)
    site.steer(host, prompt)
    way.agent.strand()
    if (!(await comes(back))) return false
    const begin = performance.now()
    await client.createAt(prompt, createOf(id, team, host))
    await untilThere(stage, host, begin)
    way.late.heal()
    await sleep(settleMs)
    client.read(id, prompt)
    return true
  })
}

/**
 * A host is given an order whose acknowledgement is held back. Then another controller has an order for it, too, at which
 * the one that has its session looks up all that wait, the first one among them.
 */
async function orderAgain(stage: Stage, word: LateWord, way: Way): Promise<boolean> {
  const { site, client } = stage
  const { host, team, late, prompt, id } = word
  const arrived = way.late.seen((bytes) => opensSession(host, bytes))
  site.steer(host, late)
  way.agent.cut()
  way.agent.heal()
  if (!(await comes(arrived))) return false
  await sleep(settleMs)
  way.agent.hold('up')
  for (const [at, controller] of [late, prompt].entries()) {
    const begin = performance.now()
    await client.createAt(controller, createOf(id + at, team, host))
    await untilThere(stage, host, begin)
  }
  await sleep(settleMs)
  return true
}

/** Resolves when something has begun on the host since then. */
async function untilThere({ site }: Stage, host: string, sinceMs: number): Promise<void> {
  const isIt = (effect: { host: string; begin: number }) =>
    effect.host === host && effect.begin > sinceMs
  const isThere = () => site.witness.effects().some(isIt)
  await until('the attack has begun', isThere, patienceMs, 10)
}

function createOf(id: number, team: string, host: string): PlannedCreate {
  return {
    do: 'create',
    id,
    team,
    hosts: [host],
    count: 1,
    lengthSeconds,
    percent: 1,
    hasKey: true,
    hangUpMs: undefined,
    haltAfterMs: undefined,
  }
}

async function comes(arrival: Promise<void>): Promise<boolean> {
  const late = new AbortController()
  const came = arrival.then(() => true)
  const gaveUp = sleep(patienceMs, false, { signal: late.signal }).catch(() => false)
  return await Promise.race([came, gaveUp]).finally(() => late.abort())
}

/** What a controller asks Redis when a Hello has come: first whose team it is, then that the session counts. */
function readsTeam(bytes: Buffer): boolean {
  return bytes.includes(`\r\nhget\r\n$${keys.teamCompanies.length}\r\n${keys.teamCompanies}\r\n`)
}

function opensSession(host: string, bytes: Buffer): boolean {
  return bytes.includes(`\r\n${host}\r\n`) && bytes.includes('\r\nboot_id\r\n')
}
