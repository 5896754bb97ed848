import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Store } from '../store/store.ts'

const lookEveryMs = 60_000
/** All controllers together forget what is too old this often. */
const forgetEverySeconds = 3_600
/** Between two slices Redis serves everybody else. */
const pauseMs = 20
/** In this time whatever was under way in a team that is removed has ended. */
const settledMs = 10 * 60_000
const dayMs = 86_400_000

export interface RetentionDeps {
  readonly store: Pick<Store, 'retention' | 'companies' | 'removedTeams' | 'controllers'>
  readonly logger: Logger
  /** How long attacks are kept after their end; 0 for ever. */
  readonly attackDays: number
  /** How long hosts are kept that are silent; 0 for ever. */
  readonly hostDays: number
}

/**
 * Once an hour forgets attacks that ended long ago, invitations that have expired, what is kept of teams that were
 * removed, and hosts that have been silent for long, on one of the controllers.
 */
export function startRetention(deps: RetentionDeps): { close(): void } {
  const { store, logger, attackDays, hostDays } = deps
  const stopped = new AbortController()
  const look = async () => {
    if (!(await store.retention.takeTurn(forgetEverySeconds))) return
    const { signal } = stopped
    const attacks = attackDays > 0 ? await forgetAttacks(store, attackDays * dayMs, signal) : 0
    let invitations = 0
    for (const companyId of await store.companies.allIds())
      invitations += await store.retention.forgetInvitations(companyId)
    const keysOfTeams = await eraseTeams(store, signal)
    // Their attacks may have gone just now, and with them the orders that waited.
    const hosts = hostDays > 0 ? await forgetHosts(store, hostDays * dayMs, signal) : 0
    if (attacks + invitations + keysOfTeams + hosts > 0)
      logger.info({ attacks, invitations, keysOfTeams, hosts }, 'forgot what is old')
  }
  const run = () =>
    look().catch((err: unknown) => {
      if (!stopped.signal.aborted) logger.warn({ err }, 'retention')
    })
  const timer = setInterval(() => void run(), lookEveryMs).unref()
  void run()
  return {
    close() {
      clearInterval(timer)
      stopped.abort()
    },
  }
}

/** Forgets in all teams the attacks that ended longer ago than this, slice by slice; gives how many. */
export async function forgetAttacks(
  store: RetentionDeps['store'],
  olderThanMs: number,
  signal: AbortSignal,
): Promise<number> {
  let count = 0
  for (const teamId of await store.companies.allTeamIds())
    for (let passOver = 0, isMore = true; isMore;) {
      signal.throwIfAborted()
      const slice = await store.retention.forgetAttacks(teamId, olderThanMs, passOver)
      count += slice.forgotten
      passOver += slice.kept
      isMore = slice.isMore
      if (isMore) await delay(pauseMs, undefined, { signal })
    }
  return count
}

/**
 * Forgets in all teams the hosts that have been silent for so long, slice by slice; gives how many. After a time in
 * which nobody could hear them it waits until they could have come back.
 */
export async function forgetHosts(
  { retention, companies, controllers }: RetentionDeps['store'],
  olderThanMs: number,
  signal: AbortSignal,
): Promise<number> {
  while (!(await controllers.doesSilenceCount())) await delay(1_000, undefined, { signal })
  let count = 0
  for (const teamId of await companies.allTeamIds())
    for await (const identifiers of retention.silentHosts(teamId, olderThanMs)) {
      signal.throwIfAborted()
      count += await retention.forgetHosts(teamId, identifiers, olderThanMs)
      await delay(pauseMs, undefined, { signal })
    }
  return count
}

/** Removes what is kept of teams that were removed so long ago; gives how many keys it were. */
export async function eraseTeams(
  { removedTeams }: Pick<Store, 'removedTeams'>,
  signal: AbortSignal,
  olderThanMs = settledMs,
): Promise<number> {
  let count = 0
  for (const teamId of await removedTeams.list(olderThanMs))
    count += await removedTeams.erase(teamId, () => delay(pauseMs, undefined, { signal }))
  return count
}
