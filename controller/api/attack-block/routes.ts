import {
  blockAttacks,
  readAttackBlock,
  unblockAttacks,
  type AttackBlock,
} from '../../../shared/api/attack-block.ts'
import { timestamp } from '../../../shared/api/timestamp.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'

/** Forbidding new attacks in a whole company, for as long as something is wrong. */
export function addAttackBlockRoutes(router: Router, { store }: { store: Store }): void {
  const stateOf = async (companyId: string): Promise<AttackBlock> => {
    const block = await store.attackBlocks.read(companyId)
    if (!block) return { blocked: false, since: null, by: null, reason: null }
    const { sinceMs, by, reason } = block
    return { blocked: true, since: timestamp(sinceMs), by, reason: reason || null }
  }
  const teamIdsOf = async (companyId: string) =>
    (await store.companies.listTeams(companyId)).map(({ id }) => id)
  router.add(readAttackBlock, ({ caller }) => stateOf(caller.company.id))
  router.add(blockAttacks, async ({ caller, body, audit }) => {
    const { id } = caller.company
    const reason = body?.reason ?? ''
    audit.detail({ reason: reason || undefined })
    const block = { sinceMs: Date.now(), by: caller.email, reason }
    await store.attackBlocks.set(id, await teamIdsOf(id), block)
    return await stateOf(id)
  })
  router.add(unblockAttacks, async ({ caller }) => {
    const { id } = caller.company
    await store.attackBlocks.lift(id, await teamIdsOf(id))
    return await stateOf(id)
  })
}
