import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  previewAttack,
  type AttackPreview,
  type CreateAttackBody,
} from '../../../../shared/api/attacks.ts'
import { useApp } from '../../app-context.ts'

/** Hosts and containers come and go. */
const everyMs = 10_000
/** Until somebody has typed to the end. */
const settleMs = 250

/** Whom the attack of the form would hit. */
export interface LivePreview {
  /** The latest there is; of an earlier state of the form while `isCurrent` is false. */
  readonly data: AttackPreview | undefined
  readonly isCurrent: boolean
  readonly error: unknown
  readonly retry: () => void
}

/** Asks whom a request would hit, again whenever it changes; nothing while there is none. */
export function usePreview(teamId: string, body: CreateAttackBody | undefined): LivePreview {
  const { api } = useApp()
  const now = body && JSON.stringify(body)
  const [settled] = useDebouncedValue(now, settleMs)
  const query = useQuery({
    queryKey: ['preview', teamId, settled],
    queryFn: ({ signal }) =>
      api.call(previewAttack, {
        query: { teamId },
        body: JSON.parse(settled ?? '') as CreateAttackBody,
        signal,
      }),
    enabled: settled !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
    staleTime: 0,
  })
  const isCurrent = now !== undefined && now === settled
  return {
    data: query.data,
    isCurrent: isCurrent && query.isSuccess && !query.isPlaceholderData,
    error: isCurrent ? query.error : null,
    retry: () => void query.refetch(),
  }
}
