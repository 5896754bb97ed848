import type { Attack } from './api/records.ts'
import type { Stage } from './stages.ts'

/** Which attacks of a list are wanted; what is not stated does not matter. */
export interface AttackFilter {
  readonly type?: string | undefined
  /** One of these. */
  readonly stages?: readonly Stage[] | undefined
  /** Who started it, in any case. */
  readonly user?: string | undefined
  readonly host?: string | undefined
  /** In a host, container id, user, type, argument or the id, in any case. */
  readonly text?: string | undefined
}

/** Whether an attack is wanted: the same for the API and for what a page is told by events. */
export function fitsFilter(attack: Attack, filter: AttackFilter): boolean {
  const { stages, host, text } = filter
  if (!mayFit({ type: attack.command_type, createdBy: attack.create_user }, filter)) return false
  if (stages !== undefined && !stages.includes(attack.stage)) return false
  if (host !== undefined && !attack.targets.includes(host)) return false
  if (text === undefined) return true
  const wanted = text.toLowerCase()
  const { guid, command_type, create_user, targets, args, target_containers } = attack
  const containers = Object.values(target_containers).flat()
  const all = [guid, command_type, create_user, args.join(' '), ...targets, ...containers]
  return all.some((one) => one.toLowerCase().includes(wanted))
}

/** Whether what is known before its targets are read rules it out. */
export function mayFit(
  known: { readonly type: string; readonly createdBy: string },
  { type, user }: AttackFilter,
): boolean {
  if (type !== undefined && known.type !== type.toLowerCase()) return false
  return user === undefined || known.createdBy.toLowerCase() === user.toLowerCase()
}
