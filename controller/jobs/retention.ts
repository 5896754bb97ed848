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
  readonly store: Pick<Store, 'retention' | 'companies' | 'removedTeams'>
  readonly logger: Logger
  /** How long attacks are kept after their end; 0 for ever. */
  readonly days: number
}

/**
 * Once an hour forgets attacks that ended long ago, invitations that have expired, and what is kept of teams that were
 * removed, on one of the controllers.
 */
export function startRetention({ store, logger, days }: RetentionDeps): { close(): void } {
  const stopped = new AbortController()
  const look = async () => {
    if (!(await store.retention.takeTurn(forgetEverySeconds))) return
    const attacks = days > 0 ? await forgetAttacks(store, days * dayMs, stopped.signal) : 0
    let invitations = 0
    for (const companyId of await store.companies.allIds())
      invitations += await store.retention.forgetInvitations(companyId)
    const keysOfTeams = await eraseTeams(store, stopped.signal)
    if (attacks + invitations + keysOfTeams > 0)
      logger.info({ attacks, invitations, keysOfTeams }, 'forgot what is old')
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
