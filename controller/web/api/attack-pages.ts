import type { InfiniteData } from '@tanstack/react-query'
import type { Attack } from '../../../shared/api/records.ts'

/** One answer of a list by page, the newest first. */
export interface AttackPage {
  readonly pageNumber: number
  readonly pageSize: number
  readonly pageToken: string | null
  readonly items: Attack[]
}
export type AttackPages = InfiniteData<AttackPage, string | undefined>

/** The list with this attack as it is now, where it belongs; one behind what is loaded stays out. */
export function withAttack<T extends AttackPages>(list: T, attack: Attack, belongs: boolean): T {
  const isKnown = list.pages.some(({ items }) => items.some(({ guid }) => guid === attack.guid))
  const pages = isKnown ? replaced(list.pages, attack, belongs) : belongs && added(list, attack)
  return pages ? { ...list, pages } : list
}

function replaced(
  pages: readonly AttackPage[],
  attack: Attack,
  belongs: boolean,
): readonly AttackPage[] {
  const now = belongs ? [attack] : []
  return pages.map((page) => ({
    ...page,
    items: page.items.flatMap((one) => (one.guid === attack.guid ? now : [one])),
  }))
}

function added({ pages }: AttackPages, attack: Attack): AttackPage[] | undefined {
  const isNewer = (one: Attack | undefined) =>
    one !== undefined && attack.created_at >= one.created_at
  const before = pages.findIndex(({ items }) => isNewer(items.at(-1)))
  const isWhole = pages.at(-1)?.pageToken === null
  const at = before === -1 && isWhole ? pages.length - 1 : before
  if (at === -1) return undefined
  return pages.map((page, index) =>
    index === at ? { ...page, items: newestFirst([attack, ...page.items]) } : page,
  )
}

/** The newest first. */
export function newestFirst(attacks: readonly Attack[]): Attack[] {
  return attacks.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
}
