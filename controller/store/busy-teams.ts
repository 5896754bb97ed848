import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

/** A controller notes a team again after this time. */
const noteEveryMs = 30_000
/** A note stays longer than whoever made it may take to write what becomes due. */
const keptMs = 120_000
/** All teams are asked this often: after a version that noted none, or a controller that froze before it wrote. */
const askAllEverySeconds = 60
const askedAtOnce = 200

const noteTeam = loadScript('note-team')
const leaveTeam = loadScript('leave-team')

/** The teams in which something may become due, so that nobody has to ask all others each second. */
export interface BusyTeams {
  /** Must be done before anything that may become due is written. */
  note(teamId: string): Promise<void>
  list(): Promise<string[]>
  /** Whether anything is or will be due in a team; when nothing is, it is listed no more after a time. */
  isBusy(teamId: string): Promise<boolean>
  /** Once a minute for all controllers together, notes those of the teams in which something is or will be due. */
  noteMissed(allTeamIds: () => Promise<readonly string[]>): Promise<void>
}

/** Opens the list of busy teams. */
export function openBusyTeams(redis: Redis): BusyTeams {
  const notedMs = new Map<string, number>()
  const note = async (teamId: string) => {
    const askedMs = performance.now()
    await noteTeam.run(redis, [keys.busyTeams], [teamId])
    notedMs.set(teamId, askedMs)
  }
  const hasDue = async (teamId: string) =>
    (await redis.exists(keys.due(teamId), keys.unwrittenAttacks(teamId))) > 0
  return {
    async note(teamId) {
      const lastMs = notedMs.get(teamId) ?? -Infinity
      if (performance.now() - lastMs > noteEveryMs) await note(teamId)
    },
    list: () => redis.zrange(keys.busyTeams, '0', '-1'),
    async isBusy(teamId) {
      if (await hasDue(teamId)) return true
      await leaveTeam.run(redis, [keys.busyTeams], [teamId, keptMs])
      return false
    },
    async noteMissed(allTeamIds) {
      if (!(await redis.set(keys.busyTurn, '1', 'EX', askAllEverySeconds, 'NX'))) return
      const ids = await allTeamIds()
      const notMissed = new Set(await redis.zrange(keys.busyTeams, '0', '-1'))
      const others = ids.filter((id) => !notMissed.has(id))
      for (let i = 0; i < others.length; i += askedAtOnce)
        await Promise.all(
          others
            .slice(i, i + askedAtOnce)
            .map(async (id) => ((await hasDue(id)) ? note(id) : undefined)),
        )
    },
  }
}
