import { keys } from './keys.ts'
import type { Redis } from './redis.ts'

/** Who forbade new attacks in a company, when and why. */
export interface AttackBlockRecord {
  readonly sinceMs: number
  readonly by: string
  readonly reason: string
}

/**
 * Companies in which nobody may start an attack. Noted for the company, which holds for teams that are made
 * later too, and with each team, where the script that creates attacks sees it in the same step.
 */
export interface AttackBlocks {
  read(companyId: string): Promise<AttackBlockRecord | undefined>
  /** When it returns no attack of these teams can be created. One that is there stays. */
  set(companyId: string, teamIds: readonly string[], block: AttackBlockRecord): Promise<void>
  lift(companyId: string, teamIds: readonly string[]): Promise<void>
}

const placesOf = (companyId: string, teamIds: readonly string[]) => [
  keys.companyAttackBlock(companyId),
  ...teamIds.map((id) => keys.attackBlock(id)),
]

/** Opens the store of blocks. */
export function openAttackBlocks(redis: Redis): AttackBlocks {
  return {
    async read(companyId) {
      return toBlock(await redis.get(keys.companyAttackBlock(companyId)))
    },
    async set(companyId, teamIds, block) {
      const text = JSON.stringify(block)
      for (const key of placesOf(companyId, teamIds)) await redis.set(key, text, 'NX')
    },
    async lift(companyId, teamIds) {
      for (const key of placesOf(companyId, teamIds)) await redis.del(key)
    },
  }
}

/** A block as it is kept; undefined when there is none. */
export function toBlock(text: string | null | undefined): AttackBlockRecord | undefined {
  return text ? (JSON.parse(text) as AttackBlockRecord) : undefined
}
